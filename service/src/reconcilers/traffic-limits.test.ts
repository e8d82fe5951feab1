import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, type TestContext, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { requireLocation } from '../locations/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { syncNodes } from './nodes.ts';
import { canLimit, probeTrafficLimits } from './traffic-limits.ts';

const { db, close } = await createTestDatabase();
const place = await installation(db);
const directory = mkdtempSync(join(tmpdir(), 'traffic-limits-'));
const socketPath = join(directory, 'socket');
const simulator = await startSimulator({ listen: { socketPath }, members: ['a', 'b'] });
simulator.plant({ project: 'berth', pool: 'berth', network: 'berthbr0', imageAliases: [] });
const client = createIncusClient({ socketPath, project: 'berth' });
after(async () => {
  await client.close();
  await simulator.close();
  await close();
  rmSync(directory, { recursive: true, force: true });
});

let reported: unknown[] = [];
const subject = {
  ...{ db, client, locationId: place.locationId, signal: new AbortController().signal },
  report: (error: unknown) => void reported.push(error),
};
const tryThem = async () =>
  await probeTrafficLimits(subject, await requireLocation(db, place.locationId));

async function known() {
  const query = db.selectFrom('nodes').select(['limits_incoming', 'limits_outgoing']);
  const rows = await query.where('gone', '=', false).orderBy('name').execute();
  return rows.map(({ limits_incoming, limits_outgoing }) => [limits_incoming, limits_outgoing]);
}

const instances = () => client.instances.list();

beforeEach(async () => {
  reported = [];
  simulator.faults.clear();
  simulator.model.lacksLimits.clear();
  await syncNodes({ ...subject, pool: 'berth' });
  const untried = { limits_incoming: null, limits_outgoing: null, limits_kernel: null };
  await db.updateTable('nodes').set(untried).execute();
});

test('probes which limits the kernel of each node can enforce, and cleans up', async () => {
  simulator.model.lacksLimits.add('limits.egress');
  await tryThem();
  assert.deepEqual(await known(), [
    [true, false],
    [true, false],
  ]);
  assert.deepEqual(await instances(), []);
  assert.deepEqual(reported, []);
});

test('probes a kernel once, and again each hour if a limit failed', async () => {
  simulator.model.lacksLimits.add('limits.egress');
  await tryThem();
  simulator.model.lacksLimits.clear();
  await tryThem();
  assert.deepEqual((await known())[0], [true, false]);
  const anHourAgo = { limits_tried_at: new Date(Date.now() - 3_700_000) };
  await db.updateTable('nodes').set(anHourAgo).execute();
  await tryThem();
  assert.deepEqual((await known())[0], [true, true]);
  // A limit that works is probed again only for another kernel.
  simulator.model.lacksLimits.add('limits.ingress');
  await db.updateTable('nodes').set(anHourAgo).execute();
  await tryThem();
  assert.deepEqual((await known())[0], [true, true]);
  await db.updateTable('nodes').set({ limits_kernel: 'older' }).execute();
  await tryThem();
  assert.deepEqual((await known())[0], [false, true]);
});

test('records no result if a probe fails, and does not repeat it at once', async () => {
  simulator.fillPool('berth', true);
  await tryThem();
  simulator.fillPool('berth', false);
  const reports = reported.length;
  assert.ok(reports > 0);
  assert.deepEqual(await known(), [
    [null, null],
    [null, null],
  ]);
  await tryThem();
  assert.equal(reported.length, reports);
});

test('first removes the instance of an interrupted probe', async () => {
  const [node] = await db.selectFrom('nodes').select('id').where('member', '=', 'a').execute();
  const left = { name: `berth-probe-${node?.id}-incoming`, type: 'container' as const };
  const devices = { root: { type: 'disk', path: '/', pool: 'berth' } };
  const wanted = { ...left, source: { type: 'none' as const }, profiles: [], config: {}, devices };
  const { id } = await client.instances.create(wanted, 'a');
  await client.operations.wait(id, { timeoutSeconds: 60 });
  await tryThem();
  assert.deepEqual((await known())[0], [true, true]);
  assert.deepEqual(await instances(), []);
});

test('NICs on an OVN network have no limits to probe', async () => {
  const location = await requireLocation(db, place.locationId);
  await probeTrafficLimits(subject, { ...location, network_kind: 'ovn' });
  assert.deepEqual(await known(), [
    [null, null],
    [null, null],
  ]);
});

test('each node is probed on its own', async () => {
  const about = { method: 'POST', path: '^/1.0/instances$', target: 'b' };
  simulator.faults.add({ kind: 'error', ...about, text: 'Not there', status: 500 });
  await tryThem();
  assert.deepEqual(await known(), [
    [true, true],
    [null, null],
  ]);
});

const bridge = {
  storage_pool: 'disks',
  network: 'net0',
  network_kind: 'bridge',
  vlan: null,
} as const;

interface Probed {
  /** The statuses of the instance when it is read, of which the last one is repeated; null if there is none. */
  readings?: (string | Error | null)[];
  /** The error of its start. */
  start?: Error | undefined;
  location?: Parameters<typeof canLimit>[1];
  member?: string | null;
}

/** Probes one direction with a simulated client. Returns the result, the calls, and what was reported and waited for. */
async function probed(
  t: TestContext,
  { readings = [null], start, location = bridge, member = 'b' }: Probed = {},
) {
  const stopping = new AbortController();
  const calls: unknown[][] = [];
  const waits: unknown[] = [];
  const reports: unknown[] = [];
  const left = [...readings];
  const noted = (options: CallOptions, call: string) => {
    assert.equal(options.signal, stopping.signal, call);
    calls.push([call]);
    return { id: call };
  };
  const client = {
    instances: {
      async get(_: string, options: CallOptions) {
        noted(options, 'get');
        const next = (left.length > 1 ? left.shift() : left[0]) ?? null;
        if (next instanceof Error) throw next;
        return next === null ? null : { status: next };
      },
      async create(wanted: unknown, on: unknown) {
        calls.push(['create', wanted, on]);
        return { id: 'create' };
      },
      updateState: async (_: string, { action }: { action: string }, options: CallOptions) =>
        noted(options, action),
      delete: async (_: string, options: CallOptions) => noted(options, 'delete'),
    },
    operations: {
      async wait(id: string, { signal, timeoutSeconds }: CallOptions) {
        assert.equal(signal, stopping.signal, id);
        if (id === 'create' || id === 'start') waits.push([id, timeoutSeconds]);
        if (id === 'start' && start) throw start;
      },
    },
  } as unknown as IncusClient;
  const pauses: number[] = [];
  const realTimeout = globalThis.setTimeout;
  const skipping = (work: () => void, milliseconds: number) => {
    if (milliseconds !== 500) return realTimeout(work, milliseconds);
    pauses.push(milliseconds);
    return setImmediate(work);
  };
  const { mock } = t.mock.method(globalThis, 'setTimeout', skipping);
  const report = (error: unknown) => void reports.push(error);
  const about = { client, signal: stopping.signal, report };
  try {
    const result = await canLimit(about, location, { id: 7, member }, 'outgoing');
    return { result, calls, waits, reports, pauses };
  } finally {
    mock.restore();
  }
}

const startFailed = new EngineError('failed', 'Failed to run: incusd forkstart: exit status 1');

test('an empty instance with a limited NIC is started, and removed once Incus has stopped it', async (t) => {
  const readings = [null, 'Error', new EngineError('busy', 'Busy.'), 'Running', 'Stopped'];
  const { result, calls, waits, reports, pauses } = await probed(t, {
    readings,
    start: startFailed,
  });
  assert.deepEqual([result, reports, pauses], [true, [], [500, 500, 500]]);
  const wanted = {
    name: 'berth-probe-7-outgoing',
    description: 'Tries which limits the kernel can enforce. Berth removes it.',
    ...{ type: 'container', source: { type: 'none' }, profiles: [], config: {} },
    devices: {
      root: { type: 'disk', path: '/', pool: 'disks' },
      eth0: { type: 'nic', name: 'eth0', network: 'net0', 'limits.egress': '1000Mbit' },
    },
  };
  assert.deepEqual(calls, [
    ...[['get'], ['create', wanted, 'b'], ['start']],
    ...[['get'], ['get'], ['get'], ['stop'], ['get'], ['delete']],
  ]);
  assert.deepEqual(waits, [
    ['create', 60],
    ['start', 30],
  ]);
});

test('on a bridge that Incus does not manage, the NIC names it; without a cluster, no member is named', async (t) => {
  const location = { ...bridge, network_kind: 'unmanaged' } as const;
  const { calls } = await probed(t, { location, member: null });
  const [, wanted, member] = calls.find(([call]) => call === 'create') ?? [];
  const { devices } = wanted as { devices: Record<string, unknown> };
  const nic = { type: 'nic', name: 'eth0', nictype: 'bridged', parent: 'net0' };
  assert.deepEqual(devices.eth0, { ...nic, 'limits.egress': '1000Mbit' });
  assert.equal(member, undefined);
});

test('how the start ends shows whether the kernel can enforce the limit', async (t) => {
  const text = 'Failed to run: tc qdisc add dev veth1: Failed to load TC action module';
  const lacking = new EngineError('failed', text);
  const other = new EngineError('failed', 'Something else.');
  for (const [start, expected, reported] of [
    [undefined, true, []],
    [startFailed, true, []],
    [lacking, false, []],
    [other, null, [other]],
  ] as const) {
    const { result, reports } = await probed(t, { start });
    assert.deepEqual([result, reports], [expected, reported], start?.message);
  }
  await assert.rejects(probed(t, { start: new TypeError('of ours, not of forkstart') }), /of ours/);
});

test('an instance that Incus does not let go is given up', async (t) => {
  const { result, calls, reports, pauses } = await probed(t, { readings: ['Error'] });
  assert.deepEqual([result, calls.length, pauses.length], [null, 60, 60]);
  assert.match(String(reports), /^EngineError: Incus does not let go of berth-probe-7-outgoing/);
  const busy = new EngineError('busy', 'Busy.');
  const { reports: last } = await probed(t, { readings: [busy] });
  assert.deepEqual(
    last.map((error) => (error as Error).cause),
    [busy],
  );
  const failed = new EngineError('failed', 'Broken.');
  const { result: none, reports: errors } = await probed(t, { readings: [failed] });
  assert.deepEqual([none, errors], [null, [failed]]);
});

test('nothing is reported after an abort', async () => {
  const stopping = new AbortController();
  const silent = new EngineError('unreachable', 'Away.');
  const get = async () => {
    stopping.abort();
    throw silent;
  };
  const about = { client: { instances: { get } } as unknown as IncusClient, report: assert.fail };
  const probing = canLimit(
    { ...about, signal: stopping.signal },
    bridge,
    { id: 7, member: null },
    'incoming',
  );
  await assert.rejects(probing, silent);
});
