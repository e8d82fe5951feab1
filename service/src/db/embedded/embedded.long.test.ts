import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { SetupError } from '../../../../setup/commands.mjs';
import { temporaryDirectory } from '../../testing/temporary-directory.ts';
import { until } from '../../testing/until.ts';
import { withClient } from '../connection.ts';
import {
  DataDirectoryInUseError,
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded.ts';

const dataDir = temporaryDirectory('embedded');

after(() => rm(dataDir, { recursive: true, force: true }));

const started: EmbeddedPostgres[] = [];

async function start(directory = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: directory });
  started.push(postgres);
  return postgres;
}

// Also runs after failed tests, because a PostgreSQL that still runs would prevent the test run from ending. They are
// stopped one after another, because several may use the same directory.
afterEach(async () => {
  for (const postgres of started.splice(0).reverse()) await postgres.stop();
});

async function ask(
  { connectionString }: Pick<EmbeddedPostgres, 'connectionString'>,
  sql: string,
): Promise<unknown> {
  return await withClient(connectionString, async (client) => {
    const results = [await client.query({ text: sql, rowMode: 'array' })].flat();
    return results.at(-1)?.rows[0]?.[0];
  });
}

function postmaster(): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

test('an embedded PostgreSQL starts with an empty directory, keeps its data, and stops', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  assert.match(String(await ask(first, 'show server_version')), /^18\./);
  assert.equal(await ask(first, 'show fsync'), 'on');
  assert.equal(await ask(first, 'show data_checksums'), 'on');
  await ask(first, 'create table kept as select 7 as value');
  await first.stop();
  assert.equal(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), false);
  const second = await start();
  assert.equal(await ask(second, 'select value from kept'), 7);
});

test('a data directory in use is refused without affecting its service, and a tool can join it', async () => {
  const owner = await start();
  await assert.rejects(start(), (error: Error) => {
    assert.ok(error instanceof DataDirectoryInUseError);
    assert.ok(error.message.includes(dataDir) && error.wayOut.includes('BERTH_DATA_DIR'));
    return true;
  });
  const tool = await joinEmbeddedPostgres({ dataDir });
  assert.equal(await ask(tool, 'select 1'), 1);
  await tool.stop();
  assert.equal(await ask(owner, 'select 1'), 1, 'the tool stopped the PostgreSQL that it joined');
});

test('of two concurrent starts, one succeeds', async () => {
  const results = await Promise.allSettled([1, 2].map(() => start()));
  const [, ...others] = results.flatMap((s) => (s.status === 'fulfilled' ? [s.value] : []));
  const [loser] = results.flatMap((s) => (s.status === 'rejected' ? [s.reason] : []));
  assert.equal(others.length, 0);
  assert.ok(loser instanceof DataDirectoryInUseError, String(loser));
});

/** Starts a PostgreSQL in a process that is killed. Returns the process id of the PostgreSQL, which still runs. */
function leftRunning(): number {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    process.kill(process.pid, 'SIGKILL');`;
  assert.throws(() => execFileSync(process.execPath, ['--input-type=module', '-e', program]), {
    signal: 'SIGKILL',
  });
  return postmaster();
}

test('a PostgreSQL that a killed service left running is taken over', async () => {
  const left = leftRunning();
  await start();
  assert.equal(postmaster(), left);
});

test('a tool neither stops a PostgreSQL that a killed service left running, nor prevents a service from using it', async () => {
  const left = leftRunning();
  const tool = await joinEmbeddedPostgres({ dataDir });
  assert.equal(await ask(tool, 'select 1'), 1);
  const service = await start();
  await tool.stop();
  assert.equal(await ask(service, 'select 1'), 1);
  assert.equal(postmaster(), left);
});

test('a killed PostgreSQL is restarted with all committed data', async () => {
  const postgres = await start();
  await ask(postgres, 'create table survived as select 8 as value');
  const killed = postmaster();
  process.kill(killed, 'SIGKILL');
  await untilHeldAgain(postgres);
  assert.notEqual(postmaster(), killed);
  assert.equal(await ask(postgres, 'select value from survived'), 8);
  await assert.rejects(start(), DataDirectoryInUseError);
});

test('services use a role that owns the database, and has no other rights', async () => {
  const postgres = await start();
  const rights = `select current_user || (rolsuper or rolcreaterole or rolcreatedb or rolreplication
    or rolbypassrls) from pg_roles where rolname = current_user`;
  assert.equal(await ask(postgres, rights), 'berth_servicefalse');
  assert.equal(await ask(postgres, 'select count(*)::int from pg_auth_members'), 3, 'of initdb');
  for (const sql of [
    "copy (select 1) to program 'true'",
    "select pg_read_file('postgresql.conf')",
    'alter role berth_service superuser',
    'set role berth',
    'create database another',
    "alter system set fsync = 'off'",
  ]) {
    await assert.rejects(ask(postgres, sql), { code: '42501' }, sql);
  }
});

test('a database of a release that used the superuser is converted completely', async () => {
  const earlier = await start();
  const asSuperuser = { connectionString: earlier.superuserConnectionString };
  // Recreates the state in which such a release left the database.
  const before = `
    drop owned by berth_service;
    create schema things;
    create type things.kind as enum ('a');
    create type things.pair as (a int, b int);
    create domain things.short as text check (length(value) < 9);
    create sequence things.counter;
    create table things.parts (
      id bigint generated always as identity primary key, at date not null, kind things.kind
    );
    create table "Odd 'name" (id bigint references things.parts, serial serial);
    create table things.months (at date not null) partition by range (at);
    create table things.month partition of things.months for values from ('2026-01-01') to ('2026-02-01');
    create view things.seen as select * from things.parts;
    create materialized view things.kept as select * from things.parts;
    create function things.twice(a int, b text default ')') returns int language sql as 'select a * 2';
    create procedure things.nothing() language sql as 'select 1';
    create function things.fire() returns trigger language plpgsql as 'begin return new; end';
    create trigger fires before insert on things.parts execute function things.fire();
    create aggregate things.sum_of (int) (sfunc = int4pl, stype = int);
    alter database berth owner to berth;
    drop role berth_service`;
  await ask(asSuperuser, before);
  const tool = await joinEmbeddedPostgres({ dataDir });
  assert.equal(await ask(tool, 'select current_user::text'), 'berth', 'while that release runs');
  await earlier.stop();
  const postgres = await start();
  const others = `
    select string_agg(what, ', ') from (
      select relname::text as what from pg_class where relowner <> $owner and relnamespace in $ours
      union all select proname from pg_proc where proowner <> $owner and pronamespace in $ours
      union all select typname from pg_type where typowner <> $owner and typnamespace in $ours
      union all select nspname from pg_namespace where nspowner <> $owner and oid in $ours
        and nspname <> 'public'
      union all select datname from pg_database where datdba <> $owner and datname = 'berth') found`
    .replaceAll('$owner', "'berth_service'::regrole")
    .replaceAll('$ours', "('things'::regnamespace, 'public'::regnamespace)");
  assert.equal(await ask(postgres, others), null);
  await ask(postgres, 'drop table things.month; drop view things.seen; truncate "Odd \'name"');
  // Creates what the earlier release would create if it were started again. That is converted, too.
  await ask(
    { connectionString: postgres.superuserConnectionString },
    'create table things.late ()',
  );
  await postgres.stop();
  await ask(
    await start(),
    'drop table things.late; drop schema things cascade; drop table "Odd \'name"',
  );
});

test('the name of a data directory may contain a quotation mark', async () => {
  const quoted = join(dataDir, "somebody's data");
  const { superuserConnectionString: connectionString } = await start(quoted);
  assert.equal(await ask({ connectionString }, 'show log_directory'), quoted);
});

test('a second stop does not affect a PostgreSQL that another service has started since', async () => {
  const first = await start();
  await first.stop();
  const second = await start();
  await first.stop();
  assert.equal(await ask(second, 'select 1'), 1);
});

test('a PostgreSQL that another service has taken over is left to it', async () => {
  // The path is too long for a socket, which is therefore in the temporary directory.
  const long = join(dataDir, 'long'.repeat(20));
  const first = await start(long);
  const there = first.superuserConnectionString.replace('/berth?', '/postgres?');
  const stopping = once(process, 'SIGTERM');
  await withClient(there, async (other) => {
    const { rows } = await other.query(holderOfDirectory);
    // This request is next in the queue, so it gets the lock before the first service can request it again.
    const taken = other.query('select pg_advisory_lock($1)', [rows[0].lock]);
    await withClient(there, async (client) => {
      const waiting = async () => (await client.query(waitingForLock)).rowCount;
      await until('the other one waits for the lock', waiting, (count) => count === 1);
      await client.query('select pg_terminate_backend($1)', [rows[0].pid]);
    });
    await taken;
    await stopping;
    await first.stop();
    assert.equal(await ask(first, 'select 1'), 1);
  });
  await (await start(long)).stop();
});

const holderOfDirectory = `
  select pid, (classid::bigint << 32) | objid::bigint as lock from pg_locks
  where locktype = 'advisory' and granted`;
const waitingForLock = `select from pg_locks where locktype = 'advisory' and not granted`;

test('a socket folder that somebody else may have created is not used', async () => {
  await (await start()).stop();
  started.length = 0;
  const folder = join(dataDir, 'postgres-socket');
  const refused = (words: RegExp) =>
    assert.rejects(start(), (error: Error) => {
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, words);
      assert.ok(error.message.includes(folder));
      assert.match(error.wayOut, /remove it/);
      return true;
    });
  for (const mode of [0o755, 0o770, 0o1777]) {
    chmodSync(folder, mode);
    await refused(/mode .*, not 700/);
  }
  rmSync(folder, { recursive: true });
  mkdirSync(join(dataDir, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(dataDir, 'elsewhere'), folder);
  await refused(/is a link/);
  rmSync(folder);
  symlinkSync(join(dataDir, 'nowhere'), folder);
  await refused(/is a link/);
  rmSync(folder);
  writeFileSync(folder, '', { mode: 0o700 });
  await refused(/is no folder/);
  rmSync(folder);
  if (process.getuid?.() === 0) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 65_534, 65_534);
    await refused(/belongs to the user 65534/);
    rmSync(folder, { recursive: true });
  }
  await start();
});

test('a start that fails after PostgreSQL was started stops it again', async () => {
  const own = join(dataDir, 'unprepared');
  // So that the role and the database can't be created.
  const settings = { default_transaction_read_only: 'on' };
  await assert.rejects(startEmbeddedPostgres({ dataDir: own, settings }), { code: '25006' });
  assert.equal(existsSync(join(own, 'postgres', 'postmaster.pid')), false);
  await start(own);
});

test('a disk that is too small for a new database is refused before anything is written', async () => {
  const small = join(dataDir, 'small');
  mkdirSync(small);
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))});
    const error = await startEmbeddedPostgres({ dataDir: process.argv[1] }).catch((error) => error);
    console.log(JSON.stringify([error.message, error.wayOut]));`;
  const printed = execFileSync('unshare', [
    ...['--mount', 'sh', '-c'],
    'mount -t tmpfs -o size=40m tmpfs "$1" && "$2" --input-type=module -e "$3" "$1" && ls "$1"',
    ...['sh', small, process.execPath, program],
  ]);
  const [told = '', ...left] = String(printed).trim().split('\n');
  const [message, wayOut] = JSON.parse(told);
  assert.match(
    message,
    /small has (39|40) MiB of free space, and a new database needs at least 100 MiB\.$/,
  );
  assert.match(wayOut, /BERTH_DATA_DIR/);
  assert.deepEqual(left, ['postgres-socket']);
});

test('root without user namespaces, as in most containers, is told how to start without them', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root needs them');
  const [fresh, existing] = [join(dataDir, 'fresh'), join(dataDir, 'existing')];
  await (await start(existing)).stop();
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))});
    const error = await startEmbeddedPostgres({ dataDir: process.argv[1] }).catch((error) => error);
    console.log(JSON.stringify([error.message, error.wayOut, error.output]));`;
  for (const directory of [fresh, existing]) {
    const printed = execFileSync('unshare', [
      ...['--user', '--map-root-user', 'sh', '-c'],
      'echo 0 > /proc/sys/user/max_user_namespaces && "$2" --input-type=module -e "$3" "$1"',
      ...['sh', directory, process.execPath, program],
    ]);
    const [message, wayOut, output] = JSON.parse(String(printed));
    assert.match(message, /^PostgreSQL does not run as root/, directory);
    assert.match(wayOut, /--user UID/);
    assert.match(wayOut, /DATABASE_URL/);
    assert.match(output, /^unshare: unshare failed/);
  }
});

/** Waits for the lock of the service on the data directory, because PostgreSQL accepts queries a moment earlier. */
async function untilHeldAgain(postgres: EmbeddedPostgres): Promise<void> {
  const held = "select count(*)::int from pg_locks where locktype = 'advisory'";
  const look = async () => await ask(postgres, held).catch((error) => error);
  await until('PostgreSQL is restarted', look, (answer) => answer === 1);
}
