import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { instanceName } from '../instances/labels.ts';
import type { Direction } from '../locations/limit-queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { throttlesOf } from '../traffic/allowance-queries.ts';
import { limitOf } from '../traffic/throttle.ts';
import { applyThrottles, reconcileThrottles } from './throttles.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { signal } = new AbortController();

/** The instances of a simulated engine, by name. */
const engine = new Map<string, Instance>();
/** The errors with which the engine refuses to limit traffic in a direction, or to remove a limit. */
const refused = new Map<Direction | 'removal', Error>();
let changed: string[] = [];
let lines: Record<string, unknown>[] = [];

type Change = (found: Instance) => Partial<Pick<Instance, 'devices' | 'config'>>;

async function change(name: string, make: Change, options: { signal?: AbortSignal }) {
  assert.equal(options.signal, signal);
  changed.push(name);
  const found = engine.get(name);
  assert.ok(found, name);
  const { config, devices } = make(found);
  const label = config?.['user.berth.throttled'];
  const isNew = (direction: Direction) =>
    devices?.eth0?.[limitOf[direction]] !== found.devices.eth0?.[limitOf[direction]];
  const what = label === '' ? 'removal' : (['incoming', 'outgoing'] as const).find(isNew);
  const error = what && refused.get(what);
  if (error) throw error;
  engine.set(name, { ...found, config: { ...found.config, ...config }, devices: { ...devices } });
}

const context = {
  ...{ db, locationId: place.locationId, signal },
  client: { instances: { change } } as unknown as Parameters<typeof applyThrottles>[0]['client'],
  log: pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) }),
};

interface Entered {
  /** The desired rate. */
  rate?: number | null;
  throttledTo?: number | null;
  error?: string | null;
}

/** Inserts a running server. Its instance has a foreign limit, or the limit of Berth in the directions of `has`. */
async function enter(entered: Entered, has: Direction[] = [], more: Partial<Instance> = {}) {
  const id = await enterServer(db, place);
  const { rate = null, throttledTo = null, error = null } = entered;
  const values = { traffic_throttle: rate, throttled_to: throttledTo, throttle_error: error };
  const query = db.updateTable('servers').set(values).where('id', '=', id);
  const { uuid } = await query.returning('uuid').executeTakeFirstOrThrow();
  const name = instanceName(uuid);
  const limits = Object.fromEntries(has.map((one) => [limitOf[one], '10Mbit']));
  const config = { 'user.berth.throttled': has.length > 0 ? '{"limits.max":"1Gbit"}' : '' };
  const eth0 = { name: 'eth0', ...(has.length > 0 ? limits : { 'limits.max': '1Gbit' }) };
  engine.set(name, { name, status: 'Running', config, devices: { eth0 }, ...more } as Instance);
  return { id, name, uuid };
}

const nicOf = (name: string) => engine.get(name)?.devices.eth0;
const held = { name: 'eth0', 'limits.ingress': '10Mbit', 'limits.egress': '10Mbit' };
const free = { name: 'eth0', 'limits.max': '1Gbit' };
const both: Direction[] = ['incoming', 'outgoing'];

async function recorded(id: number) {
  const query = db.selectFrom('servers').select(['throttled_to', 'throttle_error']);
  const row = await query.where('id', '=', id).executeTakeFirstOrThrow();
  return [row.throttled_to, row.throttle_error];
}

/** Lists the audit entries of a server. */
async function audited(id: number) {
  const rows = await db
    .selectFrom('audit_log')
    .select(['project_id', 'source', 'action', 'target_kind', 'details'])
    .where('target_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ details, ...entry }) => {
    const about = { project_id: place.projectId, source: 'berth', target_kind: 'server' };
    assert.deepEqual(entry, { ...about, action: 'traffic_throttle' });
    return details;
  });
}

/** Lists the log lines about an instance. */
const told = (name: string) =>
  lines
    .filter(({ instance }) => instance === name)
    .map(({ level, msg, rate, reason }) => ({ level, msg, rate, reason }));

const information = 'The traffic rate limit of a server was changed.';
const warning = 'The traffic rate limit of a server could not be changed.';
const kernel = (direction: Direction) =>
  new EngineError(
    'failed',
    `Failed to limit ${direction}: tc qdisc add dev veth1: Failed to load TC action module`,
  );

const reconcile = () => reconcileThrottles(context, [...engine.values()]);

beforeEach(async () => {
  engine.clear();
  refused.clear();
  [changed, lines] = [[], []];
  const able = { limits_incoming: true, limits_outgoing: null };
  await db.updateTable('nodes').set(able).execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
});

test('instances are limited as recorded for their servers, and only those that are not yet', async (t) => {
  const wanted = await enter({ rate: 10 });
  const applied = await enter({ rate: 10, throttledTo: 10 }, both);
  const confirmed = await enter({ rate: 10 }, both);
  const lifted = await enter({ rate: null, throttledTo: 10 }, both);
  const forgotten = await enter({}, both);
  const without = await enter({});
  const away = await enter({ rate: 10 }, [], { status: 'Error', devices: {} });
  const theirs = { 'user.berth.throttled': '{}' };
  engine.set('theirs', {
    name: 'theirs',
    status: 'Running',
    config: theirs,
  } as unknown as Instance);
  await reconcile();
  assert.deepEqual(changed.toSorted(), [
    ...[wanted.name, wanted.name, lifted.name, forgotten.name].toSorted(),
  ]);
  assert.deepEqual(
    [wanted, applied, confirmed, lifted, forgotten, without].map(({ name }) => nicOf(name)),
    [held, held, held, free, free, free],
  );
  const ids = [wanted, applied, confirmed, lifted, forgotten, without, away].map(({ id }) => id);
  assert.deepEqual(await Promise.all(ids.map(recorded)), [
    ...[
      [10, null],
      [10, null],
      [10, null],
      [null, null],
      [null, null],
      [null, null],
    ],
    [null, null],
  ]);
  const [limited, unlimited] = [{ throttled_to: 10 }, { throttled_to: null }];
  assert.deepEqual(await Promise.all(ids.map(audited)), [
    ...[[limited], [], [limited], [unlimited], [], [], []],
  ]);
  const line = { level: 30, msg: information, reason: undefined };
  assert.deepEqual(told(wanted.name), [{ ...line, rate: 10 }]);
  assert.deepEqual(told(lifted.name), [{ ...line, rate: null }]);
  assert.equal(lines.length, 3);
  const { mock } = t.mock.method(db, 'transaction');
  await reconcile();
  assert.deepEqual([changed.length, lines.length, mock.callCount()], [4, 3, 0]);
});

test('a direction that the node can not limit is skipped, and the reason names it', async () => {
  await db.updateTable('nodes').set({ limits_outgoing: false }).execute();
  const { id, name } = await enter({ rate: 10 });
  await reconcile();
  assert.deepEqual(nicOf(name), { name: 'eth0', 'limits.ingress': '10Mbit' });
  const reason =
    'The kernel of its node cannot limit what a server sends. The rate of what a server receives is limited to 10 Mbit/s.';
  assert.deepEqual(await recorded(id), [null, reason]);
  assert.deepEqual(await audited(id), [{ throttled_to: null, throttle_error: reason }]);
  assert.deepEqual(told(name), [{ level: 40, msg: warning, rate: 10, reason }]);
  await reconcile();
  assert.deepEqual([changed, lines.length], [[name], 1]);

  await db.updateTable('nodes').set({ limits_incoming: false }).execute();
  await reconcile();
  assert.deepEqual(nicOf(name), free);
  assert.deepEqual(await recorded(id), [null, 'The kernel of its node cannot limit traffic.']);
});

test('a refusal is shown with advice, logged with the message of the engine, and retried', async () => {
  const { id, name } = await enter({ rate: 10 });
  refused.set('incoming', new EngineError('failed', 'Of the engine.'));
  await reconcile();
  const receives =
    'The engine did not limit what a server receives. Berth tries again each minute.';
  const reason = `${receives} The rate of what a server sends is limited to 10 Mbit/s.`;
  assert.deepEqual(await recorded(id), [null, reason]);
  assert.deepEqual(told(name), [{ level: 40, msg: warning, rate: 10, reason: 'Of the engine.' }]);
  refused.set('outgoing', new EngineError('failed', 'No.'));
  engine.set(name, { ...engine.get(name), devices: { eth0: free }, config: {} } as Instance);
  await reconcile();
  const sends = 'The engine did not limit what a server sends. Berth tries again each minute.';
  assert.deepEqual(await recorded(id), [null, `${receives} ${sends}`]);
  refused.clear();
  await reconcile();
  assert.deepEqual([nicOf(name), await recorded(id)], [held, [10, null]]);
  assert.equal((await audited(id)).length, 3);
});

test('a limit that the kernel does not support is recorded for its node', async () => {
  const { id: _, ...node } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
  await db
    .insertInto('nodes')
    .values({ ...node, name: 'other', servers: 0 })
    .execute();
  const { id, name } = await enter({ rate: 10 });
  refused.set('outgoing', kernel('outgoing'));
  await reconcile();
  const query = db.selectFrom('nodes').select(['limits_incoming', 'limits_outgoing']);
  assert.deepEqual(await query.orderBy('id').execute(), [
    { limits_incoming: true, limits_outgoing: false },
    { limits_incoming: true, limits_outgoing: null },
  ]);
  const reason =
    'The kernel of its node cannot limit what a server sends. The rate of what a server receives is limited to 10 Mbit/s.';
  assert.deepEqual(await recorded(id), [null, reason]);
  assert.deepEqual(told(name), [{ level: 40, msg: warning, rate: 10, reason }]);
});

test('a limit that could not be removed is still shown, and does not concern the kernel', async () => {
  const { id, name } = await enter({ throttledTo: 10 }, both);
  const error = kernel('incoming');
  refused.set('removal', error);
  await reconcile();
  const reason = 'The engine did not lift the limit. Berth tries again each minute.';
  assert.deepEqual([nicOf(name), await recorded(id)], [held, [10, reason]]);
  assert.deepEqual(await audited(id), [{ throttled_to: 10, throttle_error: reason }]);
  assert.deepEqual(told(name), [{ level: 40, msg: warning, rate: null, reason: error.message }]);
  const nodes = db.selectFrom('nodes').select(['limits_incoming', 'limits_outgoing']);
  assert.deepEqual(await nodes.where('limits_incoming', '=', false).execute(), []);
  refused.clear();
  await reconcile();
  assert.deepEqual([nicOf(name), await recorded(id)], [free, [null, null]]);
});

test('the outcome for a rate that is no longer wanted is not recorded', async () => {
  const { id, name, uuid } = await enter({ rate: 10 });
  const throttle = (await throttlesOf(db, place.locationId)).get(uuid);
  assert.ok(throttle);
  await db.updateTable('servers').set({ traffic_throttle: 20 }).where('id', '=', id).execute();
  await applyThrottles(context, [throttle]);
  assert.deepEqual(nicOf(name), held);
  assert.deepEqual([await recorded(id), await audited(id), lines], [[null, null], [], []]);
});

test('an error that is not of the engine is thrown after the others were limited', async () => {
  const [bad, good] = [await enter({ rate: 10 }), await enter({ rate: 10 })];
  const failing = { ...context.client.instances };
  failing.change = async (name, ...about) => {
    if (name === bad.name) throw new TypeError('Of ours.');
    await context.client.instances.change(name, ...about);
  };
  const broken = { ...context, client: { instances: failing } };
  await assert.rejects(reconcileThrottles(broken, [...engine.values()]), /Of ours/);
  const throttles = [...(await throttlesOf(db, place.locationId)).values()];
  await assert.rejects(applyThrottles(broken, throttles), /Of ours/);
  assert.deepEqual([nicOf(bad.name), nicOf(good.name)], [free, held]);
});
