import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { addVolume, findVolume, removeVolume } from '../incus-sim/src/model.ts';
import { EngineError } from '../service/src/incus/transport/errors.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { enterServer } from '../service/src/testing/servers.ts';
import { enterSize } from '../service/src/testing/sizes.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { parseMemory } from '../service/src/usage/collect/metrics.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { endIn, succeeds } from './operations.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';

// Each server has 1 core, 256 MiB and 2 GiB, and its guest uses about 40 MiB.

const mebibyte = 2 ** 20;
/** The memory of each node, in MiB. */
const nodeRamMb = 2 ** 20;

/** Runs after the size was set, in place of the end of the operation. */
let afterSize: (() => Promise<void>) | undefined;

/** A resize whose step `size` fails after its effect, if a test wants that. */
function failing(kind: OperationKind): OperationKind {
  const { size } = kind.steps;
  if (kind.kind !== 'resize' || !size) return kind;
  const run = async (context: Parameters<typeof size.run>[0]) => {
    const result = await size.run(context);
    if (!afterSize) return result;
    await afterSize();
    throw new EngineError('invalid', 'It went wrong');
  };
  return { ...kind, steps: { ...kind.steps, size: { ...size, run } } };
}

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  const kinds = operationKinds.map(failing);
  laboratory = await openLaboratory({ kinds, members: ['a', 'b', 'c'], sweepMilliseconds: 500 });
  const { db } = laboratory.database;
  headers = (await createTestToken(db, { scopes: ['admin'] })).headers;
  await db.updateTable('operating_systems').set({ min_ram_mb: 128 }).execute();
});
afterEach(() => {
  laboratory.simulator.faults.clear();
  afterSize = undefined;
});
after(() => laboratory.close());

const held = async (name: string) => {
  const nodes = (await laboratory.ask('/nodes', headers)) as unknown as {
    name: string;
    allocated: { cpu: number; ram: number; disk: number };
  }[];
  const node = nodes.find((one) => one.name === name);
  assert.ok(node);
  return [node.allocated.cpu, node.allocated.ram, node.allocated.disk] as const;
};

function instanceOf(name: string) {
  const instance = laboratory.simulator.model.projects.get(project)?.instances.get(name);
  assert.ok(instance);
  return instance;
}

/** Makes its guest use more memory. Incus shows that some seconds later. */
async function occupy(name: string, bytes: { own?: number; shared?: number }): Promise<void> {
  const { client, simulator } = laboratory;
  const { member } = instanceOf(name);
  const inUse = async () => (await client.server.metrics(member, parseMemory)).get(name) ?? 0;
  const before = await until('it is in the metrics', inUse);
  simulator.administrator.occupy(project, name, bytes);
  const more = (bytes.own ?? 0) + (bytes.shared ?? 0);
  await until('it uses more', inUse, (now) => now >= before + more);
}

/** Whether the records and the engine have this size, and no other is reserved. */
async function hasSize(id: number, wanted: [cpu: number, ramMb: number, diskGb: number]) {
  const { name, size, isResizing } = await laboratory.server(id);
  const { config, devices } = instanceOf(name);
  const [cpu, ram, disk] = wanted;
  assert.deepEqual([size, isResizing], [wanted, false]);
  assert.deepEqual(
    [config['limits.cpu'], config['limits.memory'], devices.root?.size],
    [String(cpu), `${ram}MiB`, `${disk}GiB`],
  );
}

async function fails(operation: { id: number }, code: string, words: RegExp) {
  const { status, error } = await laboratory.ended(operation.id);
  assert.deepEqual([status, error?.code], ['failed', code], error?.message);
  assert.match(error?.message ?? '', words);
}

describe('a running server', () => {
  it('is resized without a restart, and its processes are limited by its memory', async () => {
    const { id, name } = await runningServer(laboratory, 'larger');
    const { run } = instanceOf(name);
    const operation = await laboratory.resize(id, { cpu: 4, ram: 2048, disk: 10 });
    await succeeds(laboratory, operation);
    const { message } = await laboratory.ended(operation.id);
    assert.equal(message, 'The server now has 4 cores, 2048 MiB of memory and 10 GiB of disk.');
    await hasSize(id, [4, 2048, 10]);
    const instance = instanceOf(name);
    assert.equal(instance.run, run);
    assert.equal(instance.config['limits.processes'], '4096');
    await succeeds(laboratory, await laboratory.resize(id, { cpu: 1, ram: 128 }));
    await hasSize(id, [1, 128, 10]);
    assert.equal(instanceOf(name).run, run);
    await isWhole(laboratory, id);
  });

  it('does not get less memory than it has in use, with its files in a tmpfs', async () => {
    for (const [what, bytes] of [
      ['own', { own: 150 * mebibyte }],
      ['shared', { shared: 150 * mebibyte }],
    ] as const) {
      const { id, name } = await runningServer(laboratory, `in-use-${what}`);
      await occupy(name, bytes);
      const words =
        /uses (19\d|2\d\d) MiB of memory, and would have 160 MiB\. .* The server keeps its size\.$/;
      await fails(await laboratory.resize(id, { cpu: 2, ram: 160 }), 'memory_in_use', words);
      await hasSize(id, [1, 256, 2]);
      await isWhole(laboratory, id);
      await succeeds(laboratory, await laboratory.request(id, 'stop'));
      await succeeds(laboratory, await laboratory.resize(id, { ram: 160 }));
      await hasSize(id, [1, 160, 2]);
    }
  });

  it('keeps what it can not give back after a failure, which its record shows', async () => {
    const { id, name } = await runningServer(laboratory, 'half-way');
    const node = (await laboratory.server(id)).node;
    const before = await held(node);
    afterSize = async () => undefined;
    const plain = await laboratory.resize(id, { cpu: 2, ram: 512, disk: 4 });
    await fails(plain, 'engine_invalid', /The server now has 1 core, 256 MiB .* and 4 GiB of disk/);
    await hasSize(id, [1, 256, 4]);
    assert.deepEqual(await held(node), [before[0], before[1], before[2] + 2]);
    afterSize = () => occupy(name, { own: 300 * mebibyte });
    const grown = await laboratory.resize(id, { cpu: 2, ram: 512 });
    await fails(grown, 'engine_invalid', /The server now has 2 cores, 512 MiB .* and 4 GiB/);
    await hasSize(id, [2, 512, 4]);
    assert.deepEqual(await held(node), [before[0] + 1, before[1] + 256, before[2] + 2]);
    await isWhole(laboratory, id);
  });

  it('gets one of the sizes once its instance has its parts, and keeps it after a failure', async () => {
    const { db } = laboratory.database;
    const medium = await enterSize(db, { name: 'medium', cpu: 2, ram: 512, disk: 4 });
    const large = await enterSize(db, { name: 'large', cpu: 3, ram: 1024, disk: 8 });
    const { id } = await runningServer(laboratory, 'of-a-size');
    const columns = db.selectFrom('servers').select(['size_id', 'resizing_size_id']);
    const sizes = () => columns.where('id', '=', id).executeTakeFirstOrThrow();
    await succeeds(laboratory, await laboratory.resize(id, { size: medium }));
    await hasSize(id, [2, 512, 4]);
    assert.deepEqual(await sizes(), { size_id: medium, resizing_size_id: null });
    afterSize = async () => undefined;
    const failed = await laboratory.resize(id, { size: large });
    await fails(
      failed,
      'engine_invalid',
      /The server now has 2 cores, 512 MiB .* and 8 GiB of disk/,
    );
    await hasSize(id, [2, 512, 8]);
    assert.deepEqual(await sizes(), { size_id: medium, resizing_size_id: null });
    await isWhole(laboratory, id);
  });

  it('has a true record if it can not be given its size back', async () => {
    const { id, name } = await runningServer(laboratory, 'refused-back');
    const fault = (text: string) =>
      laboratory.simulator.faults.add({
        ...{ kind: 'error', method: 'PATCH', path: `/instances/${name}$` },
        ...{ text, status: 500 },
      });
    const now = /The server now has 2 cores, 512 MiB .* and 4 GiB/;
    afterSize = async () => void fault('no space left on device');
    const full = await laboratory.resize(id, { cpu: 2, ram: 512, disk: 4 });
    await fails(full, 'engine_invalid', now);
    await hasSize(id, [2, 512, 4]);
    laboratory.simulator.faults.clear();

    afterSize = async () => void fault('database is locked');
    const locked = await laboratory.resize(id, { cpu: 3 });
    const operations = laboratory.database.db.selectFrom('operations').select(['step', 'attempts']);
    await until(
      'it could not be given its size back',
      () => operations.where('id', '=', locked.id).executeTakeFirstOrThrow(),
      ({ step, attempts }) => step === 'recover' && attempts > 0,
    );
    await endIn(laboratory, locked.id, 0);
    await fails(locked, 'deadline_exceeded', /given up while retrying/);
    await eventually(() => hasSize(id, [3, 512, 4]));
    laboratory.simulator.faults.clear();
    await isWhole(laboratory, id);
  });

  it('is suspended during a resize, and has in its record what it then has', async () => {
    const { id } = await runningServer(laboratory, 'suspended');
    const node = (await laboratory.server(id)).node;
    const [cpu, ram, disk] = await held(node);
    const sized = Promise.withResolvers<void>();
    const superseded = Promise.withResolvers<void>();
    afterSize = async () => {
      sized.resolve();
      await superseded.promise;
    };
    const { db } = laboratory.database;
    const size = await enterSize(db, { name: 'superseded', cpu: 3, ram: 1024, disk: 5 });
    const resize = await laboratory.resize(id, { size });
    await sized.promise;
    const suspend = await laboratory.request(id, 'suspend');
    superseded.resolve();
    await succeeds(laboratory, suspend);
    assert.equal((await laboratory.ended(resize.id)).status, 'superseded');
    await eventually(() => hasSize(id, [3, 1024, 5]));
    assert.deepEqual(await held(node), [cpu + 2, ram + 768, disk + 3]);
    const { size_id } = await db
      .selectFrom('servers')
      .select('size_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(size_id, size);
    await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
    await isWhole(laboratory, id);
  });

  it('is deleted during a resize, and nothing stays reserved', async () => {
    const { id } = await runningServer(laboratory, 'deleted');
    const node = (await laboratory.server(id)).node;
    const [cpu, ram, disk] = await held(node);
    laboratory.simulator.faults.add({ kind: 'delay', ms: 60_000, method: 'PATCH' });
    await laboratory.resize(id, { cpu: 3, ram: 1024 });
    assert.deepEqual(await held(node), [cpu + 2, ram + 768, disk]);
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    await nothingIsLeft(laboratory, id);
    assert.deepEqual(await held(node), [cpu - 1, ram - 256, disk - 2]);
  });
});

describe('a virtual machine', () => {
  /** A running server that counts as one, with its disk. */
  async function machine(hostname: string) {
    const { id, name } = await runningServer(laboratory, hostname);
    const instance = instanceOf(name);
    const pool = laboratory.simulator.model.pools.get('berth');
    assert.ok(pool);
    const disk = findVolume(pool, { project: instance.project, type: 'container', name });
    assert.ok(disk && removeVolume(pool, disk));
    addVolume(pool, { ...disk, type: 'virtual-machine' });
    instance.type = 'virtual-machine';
    return { id, name };
  }

  it('gets while it runs what the engine can change, and the rest while it is stopped', async () => {
    const { id } = await machine('machine');
    await succeeds(laboratory, await laboratory.resize(id, { cpu: 2, ram: 200 }));
    await hasSize(id, [2, 200, 2]);
    const words = /only while the server is stopped\. .* The server keeps its size\.$/;
    await fails(await laboratory.resize(id, { ram: 512 }), 'server_not_stopped', words);
    await hasSize(id, [2, 200, 2]);
    await succeeds(laboratory, await laboratory.request(id, 'stop'));
    await succeeds(laboratory, await laboratory.resize(id, { ram: 512, disk: 4 }));
    await hasSize(id, [2, 512, 4]);
  });

  it('does not keep a size of its disk for its next start', async () => {
    const { id, name } = await machine('deferred');
    const operation = await laboratory.resize(id, { cpu: 2, disk: 4 });
    await fails(operation, 'server_not_stopped', /The server keeps its size\.$/);
    await hasSize(id, [1, 256, 2]);
    const { run } = instanceOf(name);
    assert.ok(run, 'it still runs');
    // Incus keeps the mark of the size that was taken back until its next start.
    assert.equal(instanceOf(name).config['volatile.root.apply_quota'], 'true');
    await succeeds(laboratory, await laboratory.resize(id, { cpu: 2 }));
    await hasSize(id, [2, 256, 2]);
  });
});

describe('a server whose node has no room', () => {
  /** Leaves 256 MiB on the node of a server. */
  async function fill(id: number): Promise<{ from: string; full: number }> {
    const { db } = laboratory.database;
    const { node } = await laboratory.server(id);
    const { id: nodeId } = await db
      .selectFrom('nodes')
      .select('id')
      .where('name', '=', node)
      .where('lost', '=', false)
      .executeTakeFirstOrThrow();
    const [, ram] = await held(node);
    const full = await enterServer(db, { ...laboratory.place, nodeId }, { hostname: 'full' });
    await db
      .updateTable('servers')
      .set({ ram_mb: nodeRamMb - ram - 256 })
      .where('id', '=', full)
      .execute();
    return { from: node, full };
  }
  const empty = (id: number) =>
    laboratory.database.db
      .updateTable('servers')
      .set({ deleted_at: new Date() })
      .where('id', '=', id)
      .execute();

  it('moves to another one if it may, and has its size there', async () => {
    const { id } = await runningServer(laboratory, 'moves');
    const { from, full } = await fill(id);
    await assert.rejects(laboratory.resize(id, { ram: 1024 }), { code: 'no_capacity' });
    const before = await held(from);
    const operation = await laboratory.resize(id, { cpu: 2, ram: 1024, disk: 4, allow_move: true });
    await succeeds(laboratory, operation);
    const { node } = await laboratory.server(id);
    assert.notEqual(node, from);
    const { message } = await laboratory.ended(operation.id);
    assert.match(message, new RegExp(`4 GiB of disk. It was moved from ${from} to ${node} for`));
    await hasSize(id, [2, 1024, 4]);
    await isWhole(laboratory, id);
    assert.deepEqual(await held(from), [before[0] - 1, before[1] - 256, before[2] - 2]);
    await empty(full);
  });

  it('runs where it was, as it was, if it can not be moved', async () => {
    const { id, name } = await runningServer(laboratory, 'unmovable');
    const { from, full } = await fill(id);
    laboratory.simulator.faults.add({
      ...{ kind: 'operation', method: 'POST', path: `/instances/${name}$`, at: 'half' },
      text: 'Failed to mount: no space left on device',
    });
    const operation = await laboratory.resize(id, { ram: 1024, allow_move: true });
    await fails(operation, 'engine_no_space', /The server keeps its size\.$/);
    assert.equal((await laboratory.server(id)).node, from);
    await hasSize(id, [1, 256, 2]);
    // The watcher needs a moment after a failed operation.
    await eventually(() => isWhole(laboratory, id));
    await empty(full);
  });
});

it('a node that is declared lost during a resize keeps nothing reserved', async () => {
  const { id } = await runningServer(laboratory, 'lost');
  const { node } = await laboratory.server(id);
  laboratory.simulator.faults.add({ kind: 'delay', ms: 60_000, method: 'PATCH' });
  const { id: operation } = await laboratory.resize(id, { cpu: 2, ram: 512 });
  laboratory.simulator.takeMemberDown(node, true);
  await eventually(async () => {
    assert.equal((await laboratory.ask(`/nodes/${node}`, headers)).state, 'offline');
  });
  assert.equal((await laboratory.server(id)).isResizing, true);
  const answer = await laboratory.post(`/nodes/${node}/declare-lost`, headers, { confirm: node });
  assert.equal(answer.statusCode, 202, answer.body);
  assert.equal((await laboratory.ended(operation)).status, 'superseded');
  const { isResizing, size } = await laboratory.server(id);
  assert.deepEqual([isResizing, size], [false, [1, 256, 2]]);
});
