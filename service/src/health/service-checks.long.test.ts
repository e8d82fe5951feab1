import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Health } from '@berth/contract/health';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { createDiskFullMonitor } from '../db/errors.ts';
import { listenOnSocket, stop, sync, temporaryDirectory } from '../incus/test-server.ts';
import { createEngines } from '../locations/engines.ts';
import { createTestApp } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { startStallingProxy } from '../testing/stalling-proxy.ts';
import { eventually, until } from '../testing/until.ts';
import { createRoomCheck } from './room.ts';
import { healthRoutes } from './routes.ts';
import { serviceChecks } from './service-checks.ts';

const directory = temporaryDirectory();
after(() => directory.remove());
const engines = createEngines();
after(() => engines.close());

/** Starts a service with one location, whose engine accepts calls but never responds. */
async function service(t: TestContext, room: { databaseUrl?: string } = {}) {
  const dataDir = directory.file(crypto.randomUUID());
  await mkdir(dataDir);
  const refused = createDiskFullMonitor();
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  await installation(db);
  const socketPath = directory.file(crypto.randomUUID());
  const engine = await listenOnSocket(socketPath, () => undefined);
  t.after(() => stop(engine));
  const address = JSON.stringify({ socket_path: socketPath });
  await db.updateTable('locations').set({ engine: address }).execute();
  const line = await startStallingProxy(connectionString);
  t.after(line.close);
  const pool = createPool(line.connectionString);
  pool.on('error', () => undefined);
  const own = createDb(pool, refused);
  t.after(() => own.destroy());
  const healthChecks = await serviceChecks(own, {
    engines,
    requireRoom: createRoomCheck({ databaseUrl: undefined, dataDir, ...room }, refused),
  });
  const app = await createTestApp(own, [healthRoutes], { healthChecks });
  t.after(() => app.close());
  async function answer(path: string) {
    const { statusCode, body } = await inject(app, { url: `/v1${path}` });
    return { statusCode, health: JSON.parse(body) as Health };
  }
  async function health(path: string) {
    const { statusCode, health } = await answer(path);
    return [statusCode, ...health.checks.map(({ name, status }) => `${name} is ${status}`)];
  }
  return { db, own, dataDir, line, health, answer };
}

test('while PostgreSQL refuses connections the response reports that, and no error is unhandled', async (t) => {
  // The test runner fails a test during which a rejection was not handled.
  const { line, health, answer } = await service(t);
  line.cut();
  const failing = ['database is failing', 'location test is failing'];
  assert.deepEqual(await health('/health'), [503, ...failing]);
  const [database, location] = (await answer('/health')).health.checks;
  assert.equal(database?.detail, 'The database does not answer.');
  const unreachable = ['database_unreachable', 'database_unreachable'];
  assert.deepEqual([database?.reason, location?.reason], unreachable);
  assert.match(
    location?.detail ?? '',
    /^Its state is unknown, because the database does not answer\.$/,
  );
});

test('an Incus that accepts calls but never responds is reported as not responding', async (t) => {
  const { db, answer } = await service(t);
  const away = { reachable: false, unreachable_reason: 'at 10.0.0.1' };
  await db.updateTable('locations').set(away).execute();
  const { checks } = (await answer('/health')).health;
  assert.deepEqual(
    checks.map(({ status, reason, detail }) => [status, reason, detail]),
    [
      ['ok', 'ok', 'It works.'],
      ['failing', 'incus_unreachable', 'Incus does not answer.'],
    ],
  );
});

test('an unreachable Incus is reported without its address', async (t) => {
  const { db, answer } = await service(t);
  const socketPath = directory.file('nobody');
  const engine = JSON.stringify({ socket_path: socketPath });
  await db.updateTable('locations').set({ engine }).execute();
  const [, location] = (await answer('/health')).health.checks;
  assert.deepEqual(
    [location?.reason, location?.detail],
    ['incus_unreachable', 'Incus does not answer: its socket does not exist.'],
  );
});

test('a database that accepts no changes fails the check, such as a standby after a failover', async (t) => {
  const { db, health, answer, line } = await service(t);
  assert.deepEqual(await health('/health/ready'), [200, 'database is ok']);
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const name = sql.id(rows[0]?.name ?? '');
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
  // The connections are reopened, because open ones keep their settings.
  line.cut();
  line.resume();
  await eventually(async () => {
    const { statusCode, health: now } = await answer('/health/ready');
    assert.deepEqual([statusCode, now.checks[0]?.detail], [503, 'The database is read-only.']);
  });
});

test('a database that responds with an error is not reported as not responding', async (t) => {
  const { db, answer } = await service(t);
  await sql`alter table locations rename to all_locations`.execute(db);
  await sql`create function cancel() returns boolean language plpgsql as $$
    begin raise exception 'canceling statement' using errcode = '57014'; end $$`.execute(db);
  await sql`create view locations as select * from all_locations where cancel()`.execute(db);
  const { checks } = (await answer('/health')).health;
  const detail = 'The check failed. The log has the reason.';
  assert.deepEqual(
    checks.map((check) => check.detail),
    [detail, detail],
  );
});

test('an Incus that responds is not reported as the cause if no service watches its location', async (t) => {
  const { db, answer } = await service(t);
  const socketPath = directory.file(crypto.randomUUID());
  const engine = await listenOnSocket(socketPath, (_, response) =>
    sync(response, { auth: 'trusted' }),
  );
  t.after(() => stop(engine));
  const isTold = async (row: { reachable: boolean; watched_at: string }, detail: string) => {
    const reported = { ...row, engine: JSON.stringify({ socket_path: socketPath }) };
    await db.updateTable('locations').set(reported).execute();
    // The result is kept for a second.
    await eventually(async () => {
      const { checks } = (await answer('/health')).health;
      assert.equal(checks[1]?.detail, detail);
    });
  };
  const unwatched = 'No service watches this location.';
  const [long, soon] = [-1, 1].map((days) =>
    new Date(Date.now() + days * 86_400_000).toISOString(),
  );
  assert.ok(long && soon);
  await isTold({ reachable: true, watched_at: long }, unwatched);
  const unusable = 'The service that watches this location cannot use its Incus.';
  await isTold({ reachable: false, watched_at: soon }, unusable);
  await isTold({ reachable: false, watched_at: long }, unwatched);
});

test('a full disk fails the check of the database until there is space, with the time and what to do', async (t) => {
  const { dataDir, answer } = await service(t);
  assert.equal((await answer('/health/ready')).statusCode, 200);
  const full = join(dataDir, 'room');
  const fill = () => symlink('/dev/full', full).catch(() => undefined);
  for (const path of ['/health/ready', '/health']) {
    const { statusCode, health } = await until(
      'the full disk is reported',
      async () => {
        // The disk is filled again, because the check removes its file.
        await fill();
        return await answer(path);
      },
      ({ health }) => health.status === 'failing',
    );
    assert.deepEqual([statusCode, health.checks[0]?.reason], [503, 'disk_full']);
    assert.match(
      health.checks[0]?.detail ?? '',
      /^Changes have been refused since \d{4}-\S+Z, because the data directory is on a disk that is full \(ENOSPC\)\. .*Free disk space/,
    );
    await rm(full, { force: true });
    await until('there is space again', async () => (await answer(path)).statusCode === 200);
  }
});

test('a PostgreSQL that has refused to write because of a full disk fails the check', async (t) => {
  const { own, answer } = await service(t, { databaseUrl: 'postgresql://elsewhere' });
  const full = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await assert.rejects(full.execute(own), /could not extend file/);
  const { statusCode, health } = await answer('/health/ready');
  assert.equal(statusCode, 503);
  assert.match(
    health.checks[0]?.detail ?? '',
    /^PostgreSQL has refused changes since \d{4}-\S+Z, because its disk is full\./,
  );
});

test('a refusal of PostgreSQL because of a full disk is forgotten 30 s after the last one', () => {
  let at = 0;
  const refused = createDiskFullMonitor(() => at);
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  refused.failed(new Error('another one'));
  assert.equal(refused.since(), undefined);
  refused.failed(full);
  const since = refused.since();
  at = 29_000;
  refused.failed(full);
  at = 58_000;
  assert.ok(since);
  assert.equal(refused.since(), since);
  at = 60_000;
  assert.equal(refused.since(), undefined);
});
