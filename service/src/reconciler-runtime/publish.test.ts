import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { setDatabaseClock } from '../testing/clock.ts';
import { createDatabaseWithClock } from '../testing/postgres.ts';
import { publishStatuses } from './publish.ts';
import { writeStatuses } from './queries.ts';
import { holderOf, serviceName } from './service.ts';
import type { ReconcilerStatus } from './status.ts';

const { db, close } = await createDatabaseWithClock();
after(close);

const now = new Date('2026-11-21T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
/** The time in the format of a column of the database. */
const told = (seconds: number) => ago(seconds).toISOString().replace('Z', '000Z');

beforeEach(async () => {
  await sql`delete from reconciler_statuses`.execute(db);
  await setDatabaseClock(db, now);
});

const rows = async () => {
  const query = db.selectFrom('reconciler_statuses').selectAll();
  const found = await query.orderBy('service').orderBy('reconciler').orderBy('location').execute();
  return found.map((row) => ({ ...row }));
};

const names = async () =>
  (await rows()).map(({ service, reconciler, location }) => `${service} ${reconciler} ${location}`);

const idle: ReconcilerStatus = {
  ...{ reconciler: 'instance', location: 'here', everySeconds: null, runningFor: null },
  ...{ runs: 0, last: null, failures: 0, lastFailure: null },
};
const busy: ReconcilerStatus = {
  ...{ reconciler: 'instances', location: 'here', everySeconds: 60, runningFor: 5 },
  last: {
    ...{ age: 60, key: 'all', lagSeconds: 0.25, seconds: 2.5, outcome: 'failed' },
    found: { instances: 12 },
  },
  ...{ runs: 7, failures: 3, lastFailure: { age: 57, error: 'Incus is away.' } },
};

const idleRow = (service: string) => ({
  ...{ service, reconciler: 'instance', location: 'here', every_seconds: null },
  ...{ running_since: null, runs: 0, ran_at: null, key: null, lag_seconds: null },
  ...{ seconds: null, outcome: null, found: null, failures: 0, failed_at: null, error: null },
  reported_at: told(0),
});
const busyRow = (service: string) => ({
  ...{ service, reconciler: 'instances', location: 'here', every_seconds: 60 },
  ...{ running_since: told(5), runs: 7, ran_at: told(60), key: 'all', lag_seconds: 0.25 },
  ...{ seconds: 2.5, outcome: 'failed', found: { instances: 12 } },
  ...{ failures: 3, failed_at: told(57), error: 'Incus is away.', reported_at: told(0) },
});

test('each status is written, with times by the clock of the database', async () => {
  await writeStatuses(db, 'one', [busy, idle]);
  assert.deepEqual(await rows(), [idleRow('one'), busyRow('one')]);
  await writeStatuses(db, 'one', [
    { ...idle, reconciler: busy.reconciler },
    { ...busy, reconciler: idle.reconciler },
  ]);
  assert.deepEqual(await rows(), [
    { ...busyRow('one'), reconciler: idle.reconciler },
    { ...idleRow('one'), reconciler: busy.reconciler },
  ]);
});

test('statuses that a service no longer has are removed, and those of other services are not', async () => {
  const elsewhere = { ...idle, location: 'there' };
  await writeStatuses(db, 'one', [busy, idle, elsewhere]);
  await writeStatuses(db, 'two', [busy, idle]);
  await writeStatuses(db, 'one', [idle]);
  assert.deepEqual(await names(), [
    ...['one instance here', 'two instance here', 'two instances here'],
  ]);
  await writeStatuses(db, 'two', []);
  assert.deepEqual(await names(), ['one instance here']);
});

test('statuses of a service that has written nothing for two minutes are removed', async () => {
  await writeStatuses(db, 'one', [idle]);
  await setDatabaseClock(db, ago(-120));
  await writeStatuses(db, 'two', [busy]);
  assert.deepEqual(await names(), ['one instance here', 'two instances here']);
  await setDatabaseClock(db, ago(-121));
  await writeStatuses(db, 'two', [busy]);
  assert.deepEqual(await names(), ['two instances here']);
});

test('a service publishes its statuses at once, and then every ten seconds', async () => {
  const { every, run } = publishStatuses;
  assert.deepEqual(every, { milliseconds: 10_000, first: 'now', from: 'end' });
  const context = {
    ...{ signal: new AbortController().signal, trigger: () => undefined },
    recordFailure: (error: unknown) => assert.fail(String(error)),
  };
  const found = await run({ db, statuses: () => [busy, idle] }, 'all', context);
  assert.deepEqual(found, { reconcilers: 2 });
  assert.deepEqual(await rows(), [idleRow(serviceName), busyRow(serviceName)]);
});

test('the holder of a lease is the beginning of the SHA-256 of the name of its service', () => {
  assert.equal(holderOf('host/1'), 'bcad5f339934946cc2a2f759c6210a6f');
});
