import type pg from 'pg';
import { withClient } from '../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { dataDirectory } from './service.ts';

/** Every row of every table, as text: what `pg_dump` would show. */
export async function dumpDatabase(directory: string): Promise<string> {
  const tables = await query<{ name: string }>(
    directory,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) =>
      query<{ row: string }>(directory, `select t::text as row from ${name} t`),
    ),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

/** Queries the database of the running service. */
export async function query<R extends pg.QueryResultRow>(
  directory: string,
  sql: string,
): Promise<R[]> {
  const { connectionString } = await joinEmbeddedPostgres({ dataDir: dataDirectory(directory) });
  return await withClient(connectionString, async (client) => (await client.query<R>(sql)).rows);
}
