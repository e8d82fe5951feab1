import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { SetupError } from '../../../../setup/commands.mjs';
import { insertToolEntry } from '../../audit/entry-queries.ts';
import { keyFile, readKeyFile } from '../../keys/key-file.ts';
import { fingerprintOf, keySha256 } from '../../keys/keyring.ts';
import { createPool, type Trx, withClient } from '../connection.ts';
import { clusterIn } from '../embedded/data-directory.ts';
import { refusedByDatabase } from '../errors.ts';
import { lockMigrations, migrateWithin, migrationNames } from '../migrate.ts';
import type { DatabasePlace } from '../open.ts';
import type { Database } from '../schema/schema.ts';
import { countRelations, listTables } from './catalog.ts';
import {
  type ExportedTable,
  type ExportHeader,
  type OpenExport,
  openExport,
  rowsIn,
  verifyExport,
} from './export-file.ts';
import type { Progress } from './row-progress.ts';

/**
 * Imports an export into an empty database, and migrates its schema, in one transaction. Throws `SetupError` if the
 * file is incomplete or of a later version, if the database is not empty, and if the secret key in the data directory of
 * `place` is not the one of the export.
 */
export async function importDatabase(
  connectionString: string,
  path: string,
  progress: Progress,
  place?: DatabasePlace,
): Promise<ExportHeader> {
  await verifyExport(path);
  const exported = await openExport(path);
  await requireKnownSchema(path, exported.header);
  // The database is checked first, because replacing the secret key would not help if the database is in use.
  await withClient(connectionString, (client) => requireEmpty(client, place));
  if (place !== undefined) await requireKey(path, exported.header, place.dataDir);
  const pool = createPool(connectionString, { max: 1 });
  try {
    const client = await pool.connect();
    // Kysely's migrations and COPY share the transaction of this connection.
    const single = { options: {}, connect: async () => client, end: async () => undefined };
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: single }) });
    await db.transaction().execute(async (trx) => {
      await fill(trx, client, exported, { progress, place });
      await insertToolEntry(trx, {
        action: 'database_import',
        projectId: null,
        target: null,
        details: { file: path, as_of: exported.header.at },
      });
    });
  } catch (error) {
    throw refusedByDatabase(error, `${path} can't be imported`, 'Nothing was imported.') ?? error;
  } finally {
    await pool.end();
  }
  return exported.header;
}

async function requireKnownSchema(path: string, { schema }: ExportHeader): Promise<void> {
  if ((await migrationNames()).includes(schema)) return;
  throw new SetupError(
    `${path} is of a later version of Berth: this one does not know its schema, ${schema}.`,
    'Import it with the version that wrote it, or a later one.',
  );
}

async function requireKey(path: string, { key }: ExportHeader, dataDir: string): Promise<void> {
  const file = keyFile(dataDir);
  if (!key || !existsSync(file)) return;
  const fingerprints = (await readKeyFile(file)).map(({ bytes }) =>
    fingerprintOf(keySha256(bytes)),
  );
  if (fingerprints.includes(key)) return;
  throw new SetupError(
    `${path} needs the secret key with the fingerprint ${key}, but ${file} has ${fingerprints.join(', ')}. Nothing was imported.`,
    `Replace it with the correct secret-key. If that is lost, move ${file} away. The encrypted values in the export can't be read then.`,
  );
}

async function fill(
  trx: Trx,
  client: pg.PoolClient,
  { header, rows }: OpenExport,
  { progress, place }: { progress: Progress; place: DatabasePlace | undefined },
): Promise<void> {
  // A service or another import that starts in the meantime waits for this lock.
  await lockMigrations(trx);
  await requireEmpty(client, place);
  await migrateWithin(trx, header.schema);
  await requireSameTables(client, header);
  const tables = header.tables.map((table) => name(table.name));
  // The triggers are disabled, because the rows already contain what they would count.
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  // Removes the rows that migrations have inserted.
  await client.query(`truncate ${tables.join(', ')}`);
  const told = progress.of(header);
  for (const table of header.tables) await fillTable(client, table, rows(), told);
  for (const { name: sequence, last } of header.sequences) {
    if (last !== null) await client.query('select setval($1, $2)', [name(sequence), last]);
  }
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
  await migrateWithin(trx);
  // The export may be from another machine. The next start checks again which Incus the location is on.
  await client.query(`update locations set engine = engine - 'fingerprint'`);
  // Instances may have been created after the export. Their addresses are reserved before others are allocated.
  await client.query('update locations set instances_known = false');
  await client.query('analyze');
}

async function requireEmpty(
  client: pg.ClientBase,
  place: DatabasePlace | undefined,
): Promise<void> {
  const { rows } = await client.query('show server_encoding');
  const { server_encoding: encoding } = rows[0];
  if (encoding !== 'UTF8') {
    throw new SetupError(
      `The database is in ${encoding}.`,
      'Create one in UTF8: create database berth encoding UTF8 template template0',
    );
  }
  const relations = await countRelations(client);
  if (relations === 0) return;
  throw new SetupError(
    `The database is not empty: it has ${relations} tables, views and sequences. Nothing was imported.`,
    `An import needs an empty database, on which no service has been started. ${wayToEmpty(place)}`,
  );
}

function wayToEmpty(place: DatabasePlace | undefined): string {
  if (place === undefined || place.databaseUrl)
    return 'Create one, and set DATABASE_URL to it: create database berth_restored encoding UTF8 template template0';
  const cluster = clusterIn(place.dataDir);
  return `Stop Berth and move the current one away: mv ${cluster} ${cluster}.moved. Then run this command again. For an installed service, see "Restore" in docs/installation.md.`;
}

/**
 * Throws `SetupError` if the migrations created other tables than the export has, because columns would be lost
 * silently.
 */
async function requireSameTables(client: pg.PoolClient, header: ExportHeader): Promise<void> {
  const shape = (tables: { name: string; columns: string[] }[]) =>
    tables.map((table) => `${table.name}(${table.columns.toSorted()})`).sort();
  const [theirs, ours] = [shape(header.tables), shape(await listTables(client))];
  const odd = [...theirs, ...ours].filter((t) => !(theirs.includes(t) && ours.includes(t)));
  if (odd.length === 0) return;
  throw new SetupError(
    `The export has other tables or columns than the schema ${header.schema}: ${odd.join(' ')}`,
    'Tables may have been added or changed by hand. Undo this in the original database, and export it again.',
  );
}

async function fillTable(
  client: pg.PoolClient,
  table: ExportedTable,
  rows: AsyncIterable<Buffer>,
  told: (rows: number) => void,
): Promise<void> {
  const parent = name(table.name);
  for (const partition of table.partitions) {
    await client.query(
      `create table ${name(partition.name)} partition of ${parent}
        for values from (${literal(partition.from)}) to (${literal(partition.to)})`,
    );
  }
  const columns = table.columns.map(name).join(', ');
  const copy = client.query(copyFrom(`copy ${parent} (${columns}) from stdin`));
  await pipeline(rows, counting(told), copy);
  if (copy.rowCount === table.rows) return;
  throw new SetupError(
    `The export has ${copy.rowCount} rows of the table ${table.name}, and not ${table.rows} as it says. Nothing was imported.`,
    'Use another export.',
  );
}

function counting(told: (rows: number) => void) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      told(rowsIn(chunk));
      yield chunk;
    }
  };
}
