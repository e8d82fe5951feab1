import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sql } from 'kysely';
import type pg from 'pg';
import { escapeIdentifier as name } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { SetupError } from '../../../../setup/commands.mjs';
import { insertToolEntry } from '../../audit/entry-queries.ts';
import { fingerprintOf } from '../../keys/keyring.ts';
import { fileTrouble, noRoomReason } from '../../lib/system-errors.ts';
import { createDb, createPool, type Db } from '../connection.ts';
import { databaseTrouble, refusedByDatabase } from '../errors.ts';
import { listSequences, listTables, type Table } from './catalog.ts';
import {
  type ExportedTable,
  type ExportHeader,
  exportContent,
  formatVersion,
  rowsIn,
} from './export-file.ts';
import type { Progress } from './row-progress.ts';

/**
 * Exports a consistent snapshot of the whole database, while services run on it. The file is renamed to `path` when it
 * is complete. Throws `SetupError` if there is nothing to export, if the file already exists, or if its directory does
 * not.
 */
export async function exportDatabase(
  connectionString: string,
  path: string,
  progress: Progress,
): Promise<ExportHeader> {
  if (existsSync(path)) {
    throw new SetupError(`${path} already exists.`, 'Choose another file.');
  }
  const directory = dirname(path);
  // The directory is not created, because it may be on a disk that should be mounted, but is not.
  if (!existsSync(directory)) {
    const wayOut = `Make it, or mount the disk that it is on: mkdir -m 700 ${directory}`;
    throw new SetupError(`There is no directory ${directory}.`, wayOut);
  }
  const pool = createPool(connectionString, { max: 1 });
  try {
    const header = await writeSnapshot(pool, path, progress);
    await recordExport(createDb(pool), path, header).catch((error) => {
      throw databaseTrouble(error) === 'full' ? notRecorded(path) : error;
    });
    return header;
  } finally {
    await pool.end();
  }
}

async function writeSnapshot(
  pool: pg.Pool,
  path: string,
  progress: Progress,
): Promise<ExportHeader> {
  const draft = `${path}.part`;
  const client = await pool.connect();
  try {
    const header = await beginSnapshot(client);
    await rm(draft, { force: true });
    await pipeline(
      exportContent(header, (table) => rowsOf(client, table, progress.of(header))),
      createGzip(),
      // Only the owner may read the file, because it contains hashes of passwords and tokens.
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
    );
    await rename(draft, path);
    return header;
  } catch (error) {
    // If this fails as well, the first error says why.
    await rm(draft, { force: true }).catch(() => undefined);
    throw writingError(path, error);
  } finally {
    client.release(true);
  }
}

function writingError(path: string, error: unknown): unknown {
  const trouble = fileTrouble(error);
  if (!trouble) return refusedByDatabase(error, "The database can't be exported") ?? error;
  const failed = `${path} can't be written: it ${trouble.failed} (${trouble.code}).`;
  const another = noRoomReason(error) ? 'a file on another disk' : 'another file';
  return new SetupError(failed, `Choose ${another}. ${trouble.wayOut}`);
}

/** Exports also work if the disk of the database is full, because that may be the reason to export it. */
const notRecorded = (path: string) =>
  new SetupError(
    `${path} is complete and can be used. The disk of the database is full, so the export is not in the audit log and the metrics.`,
    'Free disk space there.',
  );

/**
 * Locks the tables for reading before the snapshot is taken. Otherwise a partition in the snapshot
 * could be dropped before its rows are read.
 */
async function beginSnapshot(client: pg.PoolClient): Promise<ExportHeader> {
  await client.query(`set datestyle = 'ISO'; set intervalstyle = 'postgres'`);
  const schema = await requireSchema(client);
  const tables = (await listTables(client)).map((table) => name(table.name));
  await client.query('begin isolation level repeatable read read only');
  await client.query(`lock table ${tables.join(', ')} in access share mode`);
  // Reads the key from the row as JSON, because a database of the previous release may not have the column.
  const { rows } = await client.query(
    `select id, now() as at, to_jsonb(installation) ->> 'secret_key_sha256' as key from installation`,
  );
  return {
    berth_export: formatVersion,
    installation: rows[0].id,
    schema,
    at: rows[0].at,
    key: rows[0].key && fingerprintOf(Buffer.from(rows[0].key.replace(/^\\x/, ''), 'hex')),
    tables: await withRows(client, await listTables(client)),
    sequences: await listSequences(client),
  };
}

/**
 * Records the export for the metrics and the audit log. This is skipped for a database of an earlier release, which has
 * no column for it, and for a standby, which accepts no writes.
 */
async function recordExport(db: Db, path: string, { at }: ExportHeader): Promise<void> {
  const { rows } = await sql<{ possible: boolean }>`select not pg_is_in_recovery() and exists (
    select from pg_attribute where attrelid = 'installation'::regclass and attname = 'exported_at'
  ) as possible`.execute(db);
  if (!rows[0]?.possible) return;
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('installation').set({ exported_at: at }).execute();
    await insertToolEntry(trx, {
      action: 'database_export',
      projectId: null,
      target: null,
      details: { file: path, as_of: at },
    });
  });
}

/** Finds the last migration of the database. Throws `SetupError` if there is none. */
async function requireSchema(client: pg.PoolClient): Promise<string> {
  const { rows } = await client.query(`select to_regclass('kysely_migration') as found`);
  if (rows[0].found === null) {
    throw new SetupError(
      'The database has no data of Berth.',
      'Use the same BERTH_DATA_DIR or DATABASE_URL as the service.',
    );
  }
  const last = await client.query('select max(name) as name from kysely_migration');
  return last.rows[0].name;
}

async function withRows(client: pg.PoolClient, tables: Table[]): Promise<ExportedTable[]> {
  const counted: ExportedTable[] = [];
  for (const table of tables) {
    const { rows } = await client.query(`select count(*) as rows from ${name(table.name)}`);
    counted.push({ ...table, rows: rows[0].rows });
  }
  return counted;
}

async function* rowsOf(
  client: pg.PoolClient,
  table: ExportedTable,
  told: (rows: number) => void,
): AsyncGenerator<Buffer> {
  const columns = table.columns.map(name).join(', ');
  const copied = client.query(
    copyTo(`copy (select ${columns} from ${name(table.name)}) to stdout`),
  );
  for await (const chunk of copied) {
    told(rowsIn(chunk));
    yield chunk;
  }
}
