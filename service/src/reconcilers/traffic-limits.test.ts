import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createIncusClient } from '../incus/client.ts';
import { requireLocation } from '../locations/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { syncNodes } from './nodes.ts';
import { probeTrafficLimits } from './traffic-limits.ts';

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
