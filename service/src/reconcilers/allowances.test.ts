import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Project } from '../db/project.ts';
import type { TrafficPolicy } from '../db/schema/schema.ts';
import { deleteAction } from '../servers/actions/delete.ts';
import { enterAction } from '../servers/actions/enter.ts';
import { installation } from '../testing/fixtures.ts';
import { amid } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { reconcileAllowances } from './allowances.ts';
import type { ThrottleContext } from './throttles.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { signal } = new AbortController();
/** A time long before the month in which the test runs. */
const at = new Date('2025-03-21T12:00:00Z');

let auditedBefore = 0;
let changed: string[] = [];
let lines: Record<string, unknown>[] = [];
const change = async (name: string) => void changed.push(name);
const context = {
  ...{ db, locationId: place.locationId, signal },
  client: { instances: { change } } as unknown as ThrottleContext['client'],
  log: pino({ base: null, timestamp: false }, { write: (l) => void lines.push(JSON.parse(l)) }),
};

/** Inserts a running server that has sent this number of bytes of an allowance of 1000. */
async function enter(outgoing: number, month = '2025-03-01'): Promise<number> {
  const id = await enterServer(db, place);
  await db.updateTable('servers').set({ traffic_allowance: 1000 }).where('id', '=', id).execute();
  await db
    .insertInto('traffic_months')
    .values({ server_id: id, month, incoming: 0, outgoing })
    .execute();
  return id;
}

async function follow(traffic_policy: TrafficPolicy): Promise<void> {
  const values = { traffic_policy, traffic_counted: 'outgoing', traffic_throttle: 10 } as const;
  await db.updateTable('locations').set(values).execute();
}

/** The audit entries of this test. Those of earlier tests can't be deleted. */
async function audited() {
  const query = db.selectFrom('audit_log').select(['action', 'target_id', 'project_id', 'details']);
  const rows = await query.where('id', '>', auditedBefore).orderBy('id').execute();
  return rows.map(({ project_id, ...entry }) => {
    assert.equal(project_id, place.projectId);
    return Object.values(entry);
  });
}

const operations = () =>
  db.selectFrom('operations').select(['server_id', 'kind', 'state']).orderBy('id').execute();

const reached = (server: number, percent: number) => ({
  ...{ level: 30, server, percent },
  msg: 'A server has reached this percentage of its traffic allowance.',
});

const stopped = (server: number) => ({
  ...{ level: 30, server },
  msg: 'A server is being stopped because its traffic allowance is used up.',
});

beforeEach(async () => {
  [changed, lines] = [[], []];
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  await db.deleteFrom('operations').execute();
  const last = db.selectFrom('audit_log').select(({ fn }) => fn.max('id').as('id'));
  auditedBefore = Number((await last.executeTakeFirst())?.id ?? 0);
});

test('a used-up allowance is recorded once in the audit log and the log, and the traffic limited', async () => {
  await follow('throttle');
  const [nearly, wholly] = [await enter(800), await enter(1000)];
  await enter(10);
  for (let times = 0; times < 2; times += 1) await reconcileAllowances(context, at);
  const notice = (percent: number) => ({ percent, allowance: 1000 });
  assert.deepEqual(await audited(), [
    ['traffic_notice', nearly, notice(80)],
    ['traffic_notice', wholly, notice(80)],
    ['traffic_notice', wholly, notice(100)],
    ['traffic_throttle', wholly, { throttled_to: 10 }],
  ]);
  assert.deepEqual(lines.slice(0, 3), [
    ...[reached(nearly, 80), reached(wholly, 80), reached(wholly, 100)],
  ]);
  assert.equal(lines.length, 4);
  assert.equal(changed.length, 2);
  assert.deepEqual(await operations(), []);
});

test('a server is stopped once if that is the policy', async () => {
  await follow('stop');
  const [id, other] = [await enter(1000), await enter(999)];
  for (let times = 0; times < 2; times += 1) await reconcileAllowances(context, at);
  const state = { force: false, forTraffic: true };
  assert.deepEqual(await operations(), [{ server_id: id, kind: 'stop', state }]);
  assert.deepEqual((await audited()).at(-1), ['server_stop', id, { force: false }]);
  const reports = [reached(id, 80), reached(id, 100), reached(other, 80), stopped(id)];
  assert.deepEqual(lines, reports);
  assert.deepEqual(changed, []);
});

test('a start and a rename in progress are superseded, and the power of a paused guest is cut', async () => {
  await follow('stop');
  const starting = await enterServer(db, place, { status: 'stopped', operation: 'start' });
  const renaming = await enterServer(db, place, { operation: 'rename' });
  const stopped = await enterServer(db, place, { status: 'stopped', operation: 'rename' });
  const paused = await enterServer(db, place, { status: 'paused' });
  for (const id of [starting, renaming, stopped, paused]) {
    await db.updateTable('servers').set({ traffic_allowance: 0 }).where('id', '=', id).execute();
    const month = { server_id: id, month: '2025-03-01', incoming: 0, outgoing: 1 };
    await db.insertInto('traffic_months').values(month).execute();
  }
  await reconcileAllowances(context, at);
  const stops = (await operations()).filter(({ kind }) => kind === 'stop');
  const byServer = stops.map(({ server_id, state }) => [server_id, state]);
  const forced = { force: true };
  assert.deepEqual(byServer.toSorted(), [
    ...[
      [starting, { force: false, forTraffic: true, supersedes: true }],
      [renaming, { force: false, forTraffic: true, supersedes: true }],
      [paused, { ...forced, forTraffic: true }],
    ],
  ]);
  const entries = (await audited()).filter(([action]) => action === 'server_stop');
  assert.deepEqual(entries.find(([, id]) => id === paused)?.[2], forced);
});

test('the month is that of the database by default', async () => {
  await follow('none');
  const { rows } = await sql<{
    month: string;
  }>`select date_trunc('month', now(), 'utc')::date::text as month`.execute(db);
  const [then, now] = [await enter(1000), await enter(1000, rows[0]?.month)];
  await reconcileAllowances(context);
  assert.deepEqual(lines, [reached(now, 80), reached(now, 100)]);
  await reconcileAllowances(context, at);
  assert.deepEqual(lines.slice(2), [reached(then, 80), reached(then, 100)]);
});

test('nothing is written if no allowance is nearly used up', async (t) => {
  await follow('stop');
  await enter(10);
  const { mock } = t.mock.method(db, 'transaction');
  await reconcileAllowances(context, at);
  assert.equal(mock.callCount(), 0);
});

test('a server that a request changed first is left to the next run', async () => {
  const id = await enter(1000);
  await follow('none');
  await reconcileAllowances(context, at);
  await follow('stop');
  await amid(
    db,
    (trx) => enterAction({ trx, project: new Project(trx, place.projectId) }, id, deleteAction),
    () => reconcileAllowances(context, at),
  );
  assert.deepEqual(
    (await operations()).map(({ kind }) => kind),
    ['delete'],
  );
  assert.deepEqual(lines.at(-1), {
    ...{ level: 30, server: id, code: 'operation_in_progress' },
    msg: 'A server whose traffic allowance is used up could not be stopped.',
  });
});

test('an error of Berth itself is thrown', async (t) => {
  await follow('stop');
  await enter(1000);
  await sql`alter table operations add constraint no_stops check (kind <> 'stop')`.execute(db);
  t.after(() => sql`alter table operations drop constraint no_stops`.execute(db));
  await assert.rejects(reconcileAllowances(context, at), /no_stops/);
  assert.equal((await audited()).at(-1)?.[0], 'traffic_notice');
});
