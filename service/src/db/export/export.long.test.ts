import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SetupError } from '../../../../setup/commands.mjs';
import { makeAuditPartitions } from '../../retention/audit-queries.ts';
import { enterAnyRows } from '../../testing/any-rows.ts';
import { installation } from '../../testing/fixtures.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../testing/postgres.ts';
import { toolEntry, toolOn } from '../../testing/tool.ts';
import { until } from '../../testing/until.ts';
import { ensurePartitions } from '../../usage/history/history-queries.ts';
import { migrate, migrationNames } from '../migrate.ts';
import { countRelations, listSequences, listTables } from './catalog.ts';
import { exportDatabase } from './export.ts';
import { verifyExport } from './export-file.ts';
import { importDatabase } from './import.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-export-'));
const quiet = { of: () => () => undefined };
const source = await createTestDatabase();
const file = join(directory, 'whole.gz');

before(async () => {
  await fill(source);
  await makeAuditPartitions(source.db, new Date());
  await exportDatabase(source.connectionString, file, quiet);
});

after(async () => {
  await source.close();
  rmSync(directory, { recursive: true, force: true });
});

async function fill({ db, pool }: TestDatabase): Promise<void> {
  await ensurePartitions(db, new Date());
  await enterAnyRows(pool, await tableNames({ pool }));
  await pool.query(`select nextval('usage_readings'), nextval('usage_readings')`);
}

async function tableNames({ pool }: Pick<TestDatabase, 'pool'>): Promise<string[]> {
  const client = await pool.connect();
  try {
    return (await listTables(client)).map(({ name }) => name);
  } finally {
    client.release();
  }
}

/** Reverts what exports and imports record in the database, so that two databases can be compared. */
const revertRecords = `
  update installation set exported_at = null;
  update locations set engine = engine - 'fingerprint', instances_known = false;
  alter table audit_entries disable trigger user;
  delete from audit_entries where action in ('database_export', 'database_import');
  alter table audit_entries enable trigger user`;

/** The complete content of a database as text, without what `revertRecords` reverts. */
async function everything({ pool }: TestDatabase): Promise<Record<string, unknown>> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(revertRecords);
    const content: Record<string, unknown> = {};
    for (const { name, partitions } of await listTables(client)) {
      const { rows } = await client.query(`select t::text as row from "${name}" t`);
      content[name] = [partitions, rows.map(({ row }) => row).sort()];
    }
    const triggers = await client.query(
      `select tgrelid::regclass::text || ' ' || tgname || ' ' || tgenabled::text as trigger
       from pg_trigger where not tgisinternal order by 1`,
    );
    const migrations = await client.query('select name from kysely_migration order by 1');
    // The sequence of the audit log has also counted the entries of exports and imports.
    const sequences = (await listSequences(client)).filter(
      ({ name }) => name !== 'audit_entries_id_seq',
    );
    return { ...content, sequences, triggers: triggers.rows, migrations: migrations.rows };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function relations({ pool }: TestDatabase): Promise<number> {
  const client = await pool.connect();
  try {
    return await countRelations(client);
  } finally {
    client.release();
  }
}

async function emptyDatabase(t: { after(close: () => Promise<void>): void }, more = '') {
  const database = await createEmptyDatabase(more);
  t.after(database.close);
  return database;
}

/** The message of a refusal. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('It was not refused.'),
    (cause) => cause,
  );
  assert.ok(error instanceof SetupError, String(error));
  return `${error.message} ${error.wayOut}`;
}

test('an import has every row of every table, and sequences continue', async (t) => {
  const target = await emptyDatabase(t);
  await importDatabase(target.connectionString, file, quiet);
  assert.deepEqual(await everything(target), await everything(source));
  const { rows } = await target.pool.query(`
    insert into projects (name) values ('one more')
    returning id > (select max(id) from projects) as is_new`);
  assert.deepEqual(rows, [{ is_new: true }]);
});

test('an export is a snapshot, whatever is written meanwhile', async (t) => {
  const busy = await createTestDatabase();
  t.after(busy.close);
  const { projectId } = await installation(busy.db);
  const path = join(directory, 'busy.gz');
  let isOver = false;
  const writing = (async () => {
    for (let count = 0; !isOver && count < 100_000; count += 1) {
      await busy.pool.query(
        `with token as (
           insert into tokens (project_id, name, secret_sha256, scopes)
           values ($1, 'busy', sha256($2::text::bytea), '{}') returning id
         ) insert into audit_log (project_id, token_id, action, status, source, by_administrator)
           select $1, id, 'busy', 200, 'api', false from token`,
        [projectId, count],
      );
    }
  })();
  await exportDatabase(busy.connectionString, path, quiet);
  isOver = true;
  await writing;
  const target = await emptyDatabase(t);
  await importDatabase(target.connectionString, path, quiet);
  const counted = `select (select count(*) from tokens)
    = (select count(*) from audit_log where action = 'busy') as same`;
  assert.deepEqual((await target.pool.query(counted)).rows, [{ same: true }]);
});

test('an export of an earlier schema is migrated', async (t) => {
  const [earlier, target] = [await emptyDatabase(t), await emptyDatabase(t)];
  await migrate(earlier.db, '0012-metering');
  await fill(earlier);
  // Later migrations expect the outputs of commands to be a list, but no constraint ensures that for generated rows.
  await earlier.pool.query("update operations set commands = '[]'");
  const path = join(directory, 'earlier.gz');
  await exportDatabase(earlier.connectionString, path, quiet);
  await importDatabase(target.connectionString, path, quiet);
  const { migrations } = await everything(target);
  assert.deepEqual(
    (migrations as { name: string }[]).map(({ name }) => name),
    await migrationNames(),
  );
  const { rows } = await target.pool.query(`
    select allocated_ram_mb::text as given,
      (select coalesce(sum(ram_mb), 0)::text from servers
       where node_id = nodes.id and deleted_at is null) as held
    from nodes`);
  for (const { given, held } of rows) assert.equal(given, held);
});

test('only the owner can read the file, and an existing file is not overwritten', async () => {
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(
    await refusal(exportDatabase(source.connectionString, file, quiet)),
    /already exists/,
  );
  const nowhere = join(directory, 'no', 'such', 'folder.gz');
  const said = await refusal(exportDatabase(source.connectionString, nowhere, quiet));
  assert.match(said, /^There is no directory .*\/no\/such\. Make it/);
});

test('an import needs an empty database', async (t) => {
  const target = await emptyDatabase(t);
  await target.pool.query('create table somebodys (id int); insert into somebodys values (1)');
  const said = await refusal(importDatabase(target.connectionString, file, quiet));
  assert.match(said, /not empty: it has 1 tables/);
  assert.deepEqual((await target.pool.query('select * from somebodys')).rows, [{ id: 1 }]);
  const latin = await emptyDatabase(t, `encoding 'LATIN1' locale 'C'`);
  const encoded = await refusal(importDatabase(latin.connectionString, file, quiet));
  assert.match(encoded, /in LATIN1.*encoding UTF8/);
});

test('of two concurrent imports into one database, the second is refused', async (t) => {
  const target = await emptyDatabase(t);
  const both = await Promise.allSettled([
    importDatabase(target.connectionString, file, quiet),
    importDatabase(target.connectionString, file, quiet),
  ]);
  const refused = both.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 1);
  assert.match(String((refused[0] as PromiseRejectedResult).reason), /not empty/);
  assert.deepEqual(await everything(target), await everything(source));
});

test('a truncated or modified file is refused before the database is changed', async (t) => {
  const target = await emptyDatabase(t);
  const whole = readFileSync(file);
  const broken = join(directory, 'broken.gz');
  for (let part = 1; part <= 20; part += 1) {
    const at = Math.floor((whole.length * part) / 20) - 1;
    writeFileSync(broken, whole.subarray(0, at));
    assert.match(await refusal(verifyExport(broken)), /ends too early/, `cut off at ${at}`);
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    writeFileSync(broken, changed);
    assert.match(await refusal(verifyExport(broken)), /is damaged/, `changed at ${at}`);
  }
  const text = gunzipSync(whole).toString('latin1');
  writeFileSync(broken, gzipSync(Buffer.from(text.replace(/default/, 'DEFAULT'), 'latin1')));
  const said = await refusal(importDatabase(target.connectionString, broken, quiet));
  assert.match(said, /checksum is not that of its content/);
  assert.equal(await relations(target), 0);
});

test('a file that is not an export, or is of a later version, is refused', async (t) => {
  const target = await emptyDatabase(t);
  const path = join(directory, 'other');
  const imported = () => refusal(importDatabase(target.connectionString, path, quiet));
  assert.match(await imported(), /can't be read: it does not exist \(ENOENT\)/);
  writeFileSync(path, 'create table users;');
  assert.match(await imported(), /is not an export of Berth/);
  writeFileSync(path, '');
  assert.match(await imported(), /is damaged|is not an export/);
  const later = await createTestDatabase();
  t.after(later.close);
  await later.pool.query(`insert into kysely_migration values ('9999-later', now()::text)`);
  rmSync(path);
  await exportDatabase(later.connectionString, path, quiet);
  assert.match(await imported(), /of a later version.*9999-later/);
  assert.equal(await relations(target), 0);
});

test('a table without a migration makes the import fail', async (t) => {
  const [odd, target] = [await createTestDatabase(), await emptyDatabase(t)];
  t.after(odd.close);
  await odd.pool.query('create table "Odd one" (id int)');
  const path = join(directory, 'odd.gz');
  await exportDatabase(odd.connectionString, path, quiet);
  const said = await refusal(importDatabase(target.connectionString, path, quiet));
  assert.match(said, /other tables.*Odd one\(id\)/);
  assert.equal(await relations(target), 0);
});

test('a killed import leaves nothing, and the next one succeeds', async (t) => {
  const [large, target] = [await createTestDatabase(), await emptyDatabase(t)];
  t.after(large.close);
  await large.pool.query(`
    insert into audit_log (action, status, source, by_administrator, request_id)
    select 'filled', 200, 'api', false, repeat('x', 200) from generate_series(1, 150000)`);
  const path = join(directory, 'large.gz');
  await exportDatabase(large.connectionString, path, quiet);
  const place = { DATABASE_URL: target.connectionString, BERTH_DATA_DIR: join(directory, 'none') };
  const env = { ...process.env, ...place };
  const child = spawn(process.execPath, [toolEntry, 'db', 'import', path], { env });
  await untilCopying(target);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL', 'the import was still running');
  await untilGone(target);
  assert.equal(await relations(target), 0);
  await importDatabase(target.connectionString, path, quiet);
  const { rows } = await target.pool.query(
    `select count(*) from audit_log where action = 'filled'`,
  );
  assert.deepEqual(rows, [{ count: 150_000 }]);
});

const others = `select query from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

async function untilCopying({ pool }: TestDatabase): Promise<void> {
  const look = async () => (await pool.query(others)).rows;
  await until('the import copies rows', look, (rows) =>
    rows.some(({ query }) => /^copy "audit_entries"/.test(query)),
  );
}

async function untilGone({ pool }: TestDatabase): Promise<void> {
  const look = async () => (await pool.query(others)).rowCount;
  await until('its session has ended', look, (count) => count === 0);
}

test('the command line exports and imports, and prints what to do next', async (t) => {
  const target = await emptyDatabase(t);
  const path = join(directory, 'said.gz');
  // This directory has no key. Without it, the key of the user who runs the test would be checked.
  const place = { BERTH_DATA_DIR: join(directory, 'none') };
  const exported = await toolOn(source.connectionString, 'db', '', place)('export', path);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(
    exported.stdout,
    /^Exported [\d,]+ rows of \d+ tables of the installation .*said\.gz/,
  );
  assert.match(exported.stdout, /Keep a copy of that too.*secret-key/s);
  assert.match(exported.stdout, /stop every service of this one/);
  const imported = await toolOn(target.connectionString, 'db', '', place)('import', path);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(imported.stdout, /^Imported .*copy of its secret-key/s);
  assert.deepEqual(await everything(target), await everything(source));
  const again = await toolOn(target.connectionString, 'db', '', place)('import', path);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /not empty/);
});

test('the error reports an unavailable database, or one without Berth', async (t) => {
  const empty = await emptyDatabase(t);
  const path = join(directory, 'none.gz');
  for (const [url, words] of [
    ['postgresql://berth@127.0.0.1:1/berth', /DATABASE_URL can't be used/],
    ['localhost:5432', /not the URL of a PostgreSQL/],
    [empty.connectionString, /database has no data of Berth/],
  ] as const) {
    const { code, stderr } = await toolOn(url, 'db')('export', path);
    assert.equal(code, 1);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\bat .*\.ts:/);
  }
});

for (const [args, words] of [
  [['export'], /Missing required argument 'file'/],
  [['restore', 'x'], /Unknown command 'restore'/],
  [['export', 'x', 'y'], /Too many arguments/],
  [['export', '--fast', 'x'], /--fast/],
] as const) {
  test(`a usage error is explained: ${args.join(' ')}`, async () => {
    const { code, stderr } = await toolOn(source.connectionString, 'db')(...args);
    assert.equal(code, 2);
    assert.match(stderr, words);
    assert.match(stderr, /Add --help/);
  });
}
