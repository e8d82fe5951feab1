import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { recordImage } from '../images/queries.ts';
import { isImageReady } from '../images/volume.ts';
import { createIncusClient } from '../incus/client.ts';
import { claimUnpackingAhead } from '../operations/worker-queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { syncNodes } from './nodes.ts';
import { unpackImages } from './unpacked-images.ts';

const { db, close } = await createTestDatabase();
const place = await installation(db);
const directory = mkdtempSync(join(tmpdir(), 'unpacked-images-'));
const socketPath = join(directory, 'socket');
const simulator = await startSimulator({ listen: { socketPath }, members: ['a', 'b'] });
const alias = 'berth-debian-12';
simulator.plant({ project: 'berth', pool: 'berth', network: 'berthbr0', imageAliases: [alias] });
const client = createIncusClient({ socketPath, project: 'berth' });
after(async () => {
  await client.close();
  await simulator.close();
  await close();
  rmSync(directory, { recursive: true, force: true });
});

const { signal } = new AbortController();
const { osId, locationId } = place;
const subject = { db, client, locationId, signal };
let known = new Set<string>();
const unpack = () => unpackImages(subject, 'berth', known);

const fingerprint = (await client.images.getAlias(alias))?.target ?? '';
const onMember = (member: string) =>
  isImageReady({ incus: client, pool: 'berth', member, fingerprint, signal });
const onEach = async () => [await onMember('a'), await onMember('b')];
const volumes = () => client.storage.listVolumes('berth');

async function nodeOn(member: string): Promise<number> {
  const query = db.selectFrom('nodes').select('id').where('member', '=', member);
  return (await query.executeTakeFirstOrThrow()).id;
}

beforeEach(async () => {
  known = new Set();
  simulator.faults.clear();
  simulator.fillPool('berth', false);
  simulator.setTiming({ unpack: 10 });
  await syncNodes({ ...subject, pool: 'berth', report: () => undefined });
  await db.deleteFrom('images').execute();
  await recordImage(db, { osId, locationId });
  for (const volume of await volumes()) {
    await client.storage.deleteVolume('berth', volume, volume.location);
  }
});

test('an image that the location has is unpacked on each node, and nothing else is left', async () => {
  assert.deepEqual(await onEach(), [false, false]);
  assert.equal(await unpack(), 2);
  assert.deepEqual(await onEach(), [true, true]);
  assert.deepEqual(await client.instances.list(), []);
  assert.deepEqual((await volumes()).map(({ type, location }) => [type, location]).toSorted(), [
    ['image', 'a'],
    ['image', 'b'],
  ]);
});

test('an image that is wanted but not there yet, or is of virtual machines, is not unpacked', async () => {
  await db.updateTable('images').set({ status: 'wanted' }).execute();
  assert.equal(await unpack(), 0);
  await db.updateTable('images').set({ status: 'ready' }).execute();
  const os = db.updateTable('operating_systems').where('id', '=', osId);
  await os.set({ type: 'virtual-machine' }).execute();
  assert.equal(await unpack(), 0);
  await os.set({ type: 'container' }).execute();
  assert.deepEqual(await volumes(), []);
});

test('nodes that are away or evacuated are left out', async () => {
  const node = db.updateTable('nodes').where('member', '=', 'a');
  await node.set({ evacuated: true }).execute();
  await db.updateTable('nodes').where('member', '=', 'b').set({ status: 'offline' }).execute();
  assert.equal(await unpack(), 0);
  await node.set({ evacuated: false }).execute();
  assert.equal(await unpack(), 1);
  assert.deepEqual(await onEach(), [true, false]);
});

test('what is unpacked is not looked at again', async () => {
  await unpack();
  simulator.faults.add({ path: '/(instances|volumes)', kind: 'error', text: 'asked', status: 500 });
  assert.equal(await unpack(), 2);
});

test('an image that a create or another service unpacks is left to it', async () => {
  const nodeId = await nodeOn('a');
  await db.transaction().execute(async (trx) => {
    assert.ok(await claimUnpackingAhead(trx, { nodeId, fingerprint }));
    assert.equal(await unpack(), 1);
  });
  assert.deepEqual(await onEach(), [false, true]);
  assert.equal(await unpack(), 2);
});

test('what an interrupted service left is removed, and an image unpacked in part is unpacked again', async () => {
  simulator.setTiming({ unpack: 60_000 });
  const cut = new AbortController();
  const cutOff = unpackImages({ ...subject, signal: cut.signal }, 'berth', known);
  await until('the image is being unpacked', async () => (await volumes()).length > 0);
  cut.abort();
  await assert.rejects(cutOff);
  assert.equal((await client.instances.list()).length, 1);
  simulator.setTiming({ unpack: 10 });
  assert.equal(await unpack(), 1, 'the engine is still at it on one node');
  await simulator.restartDaemon(0);
  assert.equal(await unpack(), 2);
  assert.deepEqual(await onEach(), [true, true]);
  assert.deepEqual(await client.instances.list(), []);
});

test('what was left is removed even where the image is unpacked by now', async () => {
  await unpack();
  const left = {
    ...{ name: `berth-unpack-${await nodeOn('b')}`, type: 'container' as const, config: {} },
    ...{ source: { type: 'none' as const }, profiles: [] },
    devices: { root: { type: 'disk', path: '/', pool: 'berth' } },
  };
  const { id } = await client.instances.create(left, 'b');
  await client.operations.wait(id, { timeoutSeconds: 60 });
  known = new Set();
  assert.equal(await unpack(), 2);
  assert.deepEqual(await client.instances.list(), []);
});

test('a node whose pool is full stands in the way of no other, and is told of', async () => {
  simulator.faults.add({
    ...{ method: 'POST', path: '^/1.0/instances$', target: 'a' },
    ...{ kind: 'operation', at: 'half', text: 'No space left on device' },
  });
  await assert.rejects(unpack(), /No space left/);
  assert.equal(await onMember('b'), true);
  simulator.faults.clear();
  assert.equal(await unpack(), 2);
});
