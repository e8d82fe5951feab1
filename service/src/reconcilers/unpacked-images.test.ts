import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createLeader } from '../db/locks/leader.ts';
import { recordImage } from '../images/queries.ts';
import { isImageReady } from '../images/volume.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { CallOptions, Operation } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { unpackName } from '../instances/helpers.ts';
import { unpackingLock } from '../operations/worker-queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { until } from '../testing/until.ts';
import { syncNodes } from './nodes.ts';
import { removeLeftUnpacking, unpackImages, unpackMemory } from './unpacked-images.ts';

const { db, pool, close } = await createTestDatabase();
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
const process = () => createLeader({ pool, log: pino({ level: 'silent' }) });
const leader = process();
const subject = { db, client, leader, locationId, signal, installationId: 'us', pool: 'berth' };
let elapsed = 0;
let memory = unpackMemory();
const unpack = () => unpackImages(subject, memory);

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
  [elapsed, memory] = [24 * 3_600_000, unpackMemory(() => elapsed)];
  simulator.faults.clear();
  simulator.fillPool('berth', false);
  simulator.setTiming({ unpack: 10 });
  await syncNodes({ ...subject, report: () => undefined });
  await db.updateTable('nodes').set({ evacuated: false, cordoned: false }).execute();
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

test('nodes on which no server may be created now are left out', async () => {
  const [a, b] = ['a', 'b'].map((member) => db.updateTable('nodes').where('member', '=', member));
  await b?.set({ status: 'offline' }).execute();
  for (const mark of ['evacuated', 'cordoned', 'lost', 'gone']) {
    await a?.set({ [mark]: true }).execute();
    assert.equal(await unpack(), 0, mark);
    await a?.set({ [mark]: false }).execute();
  }
  const location = db.updateTable('locations').where('id', '=', locationId);
  await location.set({ enabled: false }).execute();
  assert.equal(await unpack(), 0, 'disabled');
  await location.set({ enabled: true }).execute();
  assert.equal(await unpack(), 1);
  assert.deepEqual(await onEach(), [true, false]);
});

test('a node that is to be evacuated while an image is unpacked on another one is left out', async () => {
  const cordon = () =>
    db.updateTable('nodes').set({ cordoned: true }).where('member', '=', 'b').execute();
  assert.equal(await duringCreate(cordon), 1);
  assert.deepEqual(await onEach(), [true, false]);
});

test('an unpacked image is looked at again after an hour only, and unpacked again if it was deleted', async () => {
  await unpack();
  for (const volume of await volumes()) {
    await client.storage.deleteVolume('berth', volume, volume.location);
  }
  simulator.faults.add({ path: '/(instances|volumes)', kind: 'error', text: 'asked', status: 500 });
  elapsed += 59 * 60_000;
  assert.equal(await unpack(), 2);
  simulator.faults.clear();
  assert.deepEqual(await onEach(), [false, false]);
  elapsed += 60_000;
  assert.equal(await unpack(), 2);
  assert.deepEqual(await onEach(), [true, true]);
});

test('a memory has a clock of its own', async () => {
  memory = unpackMemory();
  await unpack();
  simulator.faults.add({ path: '/(instances|volumes)', kind: 'error', text: 'asked', status: 500 });
  assert.equal(await unpack(), 2);
});

test('in a pool that unpacks an image for each disk, nothing is created', async () => {
  const plain = { name: 'plain', driver: 'dir', description: '', config: {} };
  for (const member of ['a', 'b']) await client.storage.createPool(plain, member);
  await client.storage.createPool(plain);
  const asked = { method: 'POST', path: '^/1.0/instances', text: 'asked', status: 500 };
  simulator.faults.add({ ...asked, kind: 'error' });
  assert.equal(await unpackImages({ ...subject, pool: 'plain' }, memory), 2);
});

test('nothing is unpacked on a node on which another service unpacks', async () => {
  await process().ifFree(unpackingLock(await nodeOn('a')), async () => {
    assert.equal(await unpack(), 1);
  });
  assert.deepEqual(await onEach(), [false, true]);
  assert.equal(await unpack(), 2);
});

/** Enters a create on a node, at that step. */
async function enterCreate(member: string, at: { state?: string; step: string }) {
  const id = await enterServer(db, place, { operation: 'create' });
  const node_id = await nodeOn(member);
  await db.updateTable('servers').set({ node_id }).where('id', '=', id).execute();
  await db.updateTable('operations').set(at).where('server_id', '=', id).execute();
  return id;
}

/** Enters a create that has claimed the unpacking of the image on a node. */
const enterClaim = (member: string) =>
  enterCreate(member, { state: JSON.stringify({ unpacks: fingerprint }), step: 'boot' });

const endCreate = (serverId: number) =>
  db.deleteFrom('operations').where('server_id', '=', serverId).execute();

test('an image that a create unpacks is not unpacked ahead', async () => {
  const id = await enterClaim('a');
  assert.equal(await unpack(), 1);
  assert.deepEqual(await onEach(), [false, true]);
  await endCreate(id);
  assert.equal(await unpack(), 2);
});

test('a create that makes its disk takes precedence, and one in another step does not', async () => {
  const id = await enterCreate('a', { step: 'instance' });
  await enterCreate('b', { step: 'boot' });
  assert.equal(await unpack(), 1);
  assert.deepEqual(await onEach(), [false, true]);
  await endCreate(id);
  assert.equal(await unpack(), 2);
});

const empty = {
  ...{ type: 'container' as const, source: { type: 'none' as const } },
  ...{ config: {}, profiles: [] },
};
const root = { type: 'disk', path: '/', pool: 'berth' };

test('nothing is unpacked on a node on which the engine creates an instance', async () => {
  simulator.setTiming({ create: 600_000 });
  const name = 'theirs';
  await client.instances.create({ ...{ name, ...empty }, devices: { root } }, 'a');
  await until('it is being created', () => client.instances.get(name));
  simulator.setTiming({ create: 10 });
  assert.equal(await unpack(), 1);
  assert.deepEqual(await onEach(), [false, true]);
  await simulator.restartDaemon(0);
  const { id } = await client.instances.delete(name);
  await client.operations.wait(id, { timeoutSeconds: 60 });
  assert.equal(await unpack(), 2);
});

test('nothing is unpacked while the engine works on the instance that was left', async () => {
  const name = unpackName(await nodeOn('a'));
  const { id } = await client.instances.create({ ...{ name, ...empty }, devices: { root } }, 'a');
  await client.operations.wait(id, { timeoutSeconds: 60 });
  const resources = { instances: [`/1.0/instances/${name}`] };
  const operation: Partial<Operation> = { class: 'task', status_code: 103, resources };
  const list = async () => [operation as Operation];
  const busy = { ...client, operations: { ...client.operations, list } };
  assert.equal(await unpackImages({ ...subject, client: busy }, memory), 1);
  assert.deepEqual(await onEach(), [false, true]);
  assert.ok(await client.instances.get(name));
  assert.equal(await unpack(), 2);
});

test('an image that a create has unpacked meanwhile is not unpacked again', async () => {
  await unpack();
  memory = unpackMemory(() => elapsed);
  const looks: unknown[] = [];
  const getVolume: typeof client.storage.getVolume = async (pool, volume, target, options) => {
    looks.push(target);
    const isFirst = looks.filter((one) => one === target).length === 1;
    return isFirst ? null : await client.storage.getVolume(pool, volume, target, options);
  };
  const instances = { ...client.instances, create: () => assert.fail('It creates an instance.') };
  const late = { ...client, instances, storage: { ...client.storage, getVolume } };
  assert.equal(await unpackImages({ ...subject, client: late }, memory), 2);
  assert.deepEqual(looks, ['a', 'a', 'b', 'b']);
});

test('an image does not count as whole if the engine has forgotten its operation', async () => {
  const wait: typeof client.operations.wait = async (...about) => {
    await client.operations.wait(...about);
    return { outcome: 'vanished' };
  };
  const restarted = { ...client, operations: { ...client.operations, wait } };
  assert.equal(await unpackImages({ ...subject, client: restarted }, memory), 0);
  assert.deepEqual(await onEach(), [false, false]);
  assert.equal(await unpack(), 2);
  assert.deepEqual(await client.instances.list(), []);
});

test('an error after an abort ends the round', async () => {
  const stopping = new AbortController();
  let looks = 0;
  const getVolume = async () => {
    looks += 1;
    stopping.abort();
    throw new EngineError('unreachable', 'Away.');
  };
  const away = { ...client, storage: { ...client.storage, getVolume } };
  const about = { ...subject, client: away, signal: stopping.signal };
  await assert.rejects(unpackImages(about, memory), /Away/);
  assert.equal(looks, 1);
});

test('calls end with the watch, and an image has ten minutes to be unpacked', async () => {
  const noted = new Map<string, number | undefined>();
  const note = (call: string, options: CallOptions = {}) => {
    assert.equal(options.signal, signal, call);
    noted.set(call, options.timeoutSeconds);
  };
  const { images, instances, operations } = client;
  const watched = {
    ...client,
    images: {
      ...images,
      getAlias: (name, options) => {
        note('alias', options);
        return images.getAlias(name, options);
      },
    },
    instances: {
      ...instances,
      get: (name, options) => {
        note('instance', options);
        return instances.get(name, options);
      },
      delete: (name, options) => {
        note('delete', options);
        return instances.delete(name, options);
      },
    },
    operations: {
      ...operations,
      list: (options) => {
        note('operations', options);
        return operations.list(options);
      },
      listOfAllProjects: (options) => {
        note('all operations', options);
        return operations.listOfAllProjects(options);
      },
      wait: (id, options) => {
        note(noted.has('create') ? 'wait' : 'create', options);
        return operations.wait(id, options);
      },
    },
  } satisfies IncusClient;
  await db.updateTable('nodes').set({ cordoned: true }).where('member', '=', 'b').execute();
  assert.equal(await unpackImages({ ...subject, client: watched }, memory), 1);
  const calls = ['alias', 'all operations', 'instance', 'create', 'operations', 'delete', 'wait'];
  assert.deepEqual([...noted.keys()], calls);
  assert.equal(noted.get('create'), 600);
});

test('the instance that unpacks an image is labelled as ours, and has no NIC', async () => {
  const name = unpackName(await nodeOn('a'));
  await duringCreate(async () => {
    const found = await until('it is there', () => client.instances.get(name));
    const { profiles, devices, config } = found;
    assert.deepEqual([profiles, devices], [[], { root }]);
    assert.equal(config['user.berth.installation'], 'us');
  });
});

/** Unpacks, and runs `meanwhile` when the engine creates the first instance. */
async function duringCreate(meanwhile: () => Promise<unknown>): Promise<number> {
  const goOn = simulator.faults.add({ path: '/operations/.*/wait$', kind: 'delay', ms: 600_000 });
  const running = unpack();
  const [ended] = await Promise.all([
    running,
    until('the end of the create is waited for', () => simulator.faults.delayed() > 0)
      .then(meanwhile)
      .finally(goOn),
  ]);
  return ended;
}

test('while the engine works, one connection holds the lock, and no transaction is open', async () => {
  await duringCreate(async () => {
    assert.equal(pool.totalCount - pool.idleCount, 1);
    const { rows } = await pool.query(
      `select count(*)::integer as transactions from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'`,
    );
    assert.deepEqual(rows, [{ transactions: 0 }]);
    assert.equal(await process().ifFree(unpackingLock(await nodeOn('a')), noWork), undefined);
    assert.equal(await process().ifFree(unpackingLock(await nodeOn('b')), noWork), true);
  });
  assert.equal(pool.totalCount - pool.idleCount, 0);
});

const noWork = async () => true;

test('an image does not count as whole if the lock was lost while it was unpacked', async () => {
  const losing = duringCreate(() =>
    pool.query(
      `select pg_terminate_backend(pid, 60000) from pg_locks
       where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
    ),
  );
  await assert.rejects(losing);
  assert.deepEqual(await onEach(), [false, false], 'the error of Berth itself ends the round');
  assert.equal(await unpack(), 2);
});

test('an image does not count as whole if a create that ignores the lock unpacks it, too', async () => {
  let id = 0;
  const enter = async () => {
    id = await enterClaim('a');
  };
  assert.equal(await duringCreate(enter), 1);
  assert.deepEqual(await onEach(), [false, true]);
  assert.deepEqual(await client.instances.list(), []);
  await endCreate(id);
  assert.equal(await unpack(), 2);
});

test('an image that was unpacked counts as whole even if its instance stays', async () => {
  const refused = { method: 'DELETE', path: '^/1.0/instances/', text: 'refused', status: 500 };
  simulator.faults.add({ ...refused, kind: 'error' });
  await assert.rejects(unpack(), /refused/);
  assert.deepEqual(await onEach(), [true, true]);
  simulator.faults.clear();
  assert.equal(await unpack(), 2);
  const left = await client.instances.list();
  assert.deepEqual(
    left.map(({ location }) => location),
    ['a', 'b'],
  );
  for (const { name } of left) await removeLeftUnpacking(subject, name);
  assert.deepEqual(await client.instances.list(), []);
});

test('what an interrupted service left is removed, and an image unpacked in part is unpacked again', async () => {
  simulator.setTiming({ unpack: 60_000 });
  const cut = new AbortController();
  const cutOff = unpackImages({ ...subject, signal: cut.signal }, memory);
  await until('the image is being unpacked', async () => (await volumes()).length > 0);
  cut.abort();
  await assert.rejects(cutOff);
  const name = unpackName(await nodeOn('a'));
  simulator.setTiming({ unpack: 10 });
  assert.equal(await unpack(), 1, 'the engine is still at it on one node');
  await removeLeftUnpacking(subject, name);
  assert.ok(await client.instances.get(name), 'nor is its instance removed');
  await simulator.restartDaemon(0);
  assert.equal(await unpack(), 2);
  assert.deepEqual(await onEach(), [true, true]);
  assert.deepEqual(await client.instances.list(), []);
});

test('what was left is removed wherever it is, unless somebody works with it', async () => {
  const nodeId = await nodeOn('b');
  const name = unpackName(nodeId);
  const { id } = await client.instances.create(
    {
      ...{ name, type: 'container', config: {}, source: { type: 'none' }, profiles: [] },
      devices: { root: { type: 'disk', path: '/', pool: 'berth' } },
    },
    'b',
  );
  await client.operations.wait(id, { timeoutSeconds: 60 });
  await db.deleteFrom('images').execute();
  await db.updateTable('nodes').set({ evacuated: true }).execute();
  await process().ifFree(unpackingLock(nodeId), () => removeLeftUnpacking(subject, name));
  assert.equal((await client.instances.list()).length, 1);
  await removeLeftUnpacking(subject, name);
  assert.deepEqual(await client.instances.list(), []);
  await removeLeftUnpacking(subject, name);
});

test('an instance of another name is not looked at', async () => {
  const instances = { get: () => assert.fail('It is looked at.') };
  const blind = { instances } as unknown as IncusClient;
  await removeLeftUnpacking({ ...subject, client: blind }, 'berth-unpack-me');
});

const failsOnA = { method: 'POST', path: '^/1.0/instances$', target: 'a' };

for (const text of ['No space left on device', 'Unpack failed: xattr is corrupt']) {
  test(`after "${text}", it is tried again after ten minutes, and other nodes are not affected`, async () => {
    simulator.faults.add({ ...failsOnA, kind: 'operation', at: 'half', text });
    await assert.rejects(unpack(), new RegExp(text));
    assert.deepEqual(await onEach(), [false, true]);
    simulator.faults.clear();
    elapsed += 9 * 60_000;
    await assert.rejects(unpack(), new RegExp(text));
    elapsed += 60_000;
    assert.equal(await unpack(), 2);
  });
}

test('if a node does not answer, it is tried again the next time, and other nodes are not affected', async () => {
  simulator.faults.add({ ...failsOnA, kind: 'error', text: 'Of a restart', status: 503 });
  await assert.rejects(unpack(), /Of a restart/);
  assert.deepEqual(await onEach(), [false, true]);
  simulator.faults.clear();
  assert.equal(await unpack(), 2);
});

// The last test: the image is gone after it.
test('if an image is deleted in Incus while it is unpacked, nothing of it is left', async () => {
  const deleting = duringCreate(async () => {
    await until('the image is being unpacked', async () => (await volumes()).length > 0);
    await client.images.delete(fingerprint);
  });
  await assert.rejects(deleting, /not found/);
  assert.equal(await unpack(), 0);
  for (const { name } of await client.instances.list()) await removeLeftUnpacking(subject, name);
  assert.deepEqual([await client.instances.list(), await volumes()], [[], []]);
});
