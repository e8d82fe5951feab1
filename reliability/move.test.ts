import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, runningServer } from './servers.ts';

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  laboratory = await openLaboratory({ members: ['a', 'b', 'c'], stopTimeoutSeconds: 2 });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
after(() => laboratory.close());

interface Held {
  name: string;
  servers: number;
  allocated: { ram: number };
}

const nodes = async () => (await laboratory.ask('/nodes', headers)) as unknown as Held[];
const held = async (name: string) => {
  const node = (await nodes()).find((one) => one.name === name);
  return [node?.servers, node?.allocated.ram];
};
const whereIs = async (id: number) => (await laboratory.server(id)).node;

async function otherThan(id: number): Promise<string> {
  return (await whereIs(id)) === 'a' ? 'b' : 'a';
}

it('capacity on the target is reserved from the request on, and freed on the source', async () => {
  const { id } = await runningServer(laboratory, 'counted');
  const [from, to] = [await whereIs(id), await otherThan(id)];
  const before = { from: await held(from), to: await held(to) };
  // No worker can complete the move, because the engine returns errors.
  const back = laboratory.simulator.faults.add({
    kind: 'error',
    path: '/instances',
    text: 'database is locked',
    status: 500,
  });
  const operation = await laboratory.move(id, to);
  const [servers = 0, ram = 0] = before.to;
  assert.deepEqual(await held(to), [servers, ram + 256]);
  assert.deepEqual(await held(from), before.from);
  back();
  await succeeds(laboratory, operation);
  assert.deepEqual(await held(to), [servers + 1, ram + 256]);
  assert.deepEqual(await held(from), [(before.from[0] ?? 0) - 1, (before.from[1] ?? 0) - 256]);
  await isWhole(laboratory, id);
});

it('a server that could not be moved runs where it was, and the operation says why', async () => {
  const { id, name } = await runningServer(laboratory, 'unmovable');
  const [from, to] = [await whereIs(id), await otherThan(id)];
  const before = await held(to);
  laboratory.simulator.faults.add({
    kind: 'operation',
    method: 'POST',
    path: `/instances/${name}$`,
    text: 'Failed to mount: no space left on device',
    at: 'half',
  });
  const { status, error } = await laboratory.ended((await laboratory.move(id, to)).id);
  assert.equal(status, 'failed');
  assert.match(error?.message ?? '', /no space left on the storage of the node/);
  laboratory.simulator.faults.clear();
  await eventually(async () => {
    assert.deepEqual(await held(to), before, 'the reserved capacity is released');
  });
  assert.equal(await whereIs(id), from);
  // After a failure, the record has the last observed status until the next comparison.
  await eventually(() => isWhole(laboratory, id));
  assert.equal((await laboratory.client.instances.get(name))?.location, from);
});

it('a temporary failure does not prevent a move', async () => {
  const { id, name } = await runningServer(laboratory, 'troubled');
  laboratory.simulator.faults.add({
    kind: 'operation',
    method: 'POST',
    path: `/instances/${name}$`,
    text: 'Instance move to destination failed: websocket: close 1006',
    at: 'half',
    times: 2,
  });
  await succeeds(laboratory, await laboratory.move(id, await otherThan(id)));
  await isWhole(laboratory, id);
});

it('a server that somebody else has moved there counts as moved, and is not stopped', async () => {
  const { id, name } = await runningServer(laboratory, 'quicker');
  const instance = laboratory.simulator.model.projects.get(project)?.instances.get(name);
  assert.ok(instance);
  const taken = {
    kind: 'operation',
    method: 'POST',
    path: `/instances/${name}$`,
    text: 'Requested target server is the same as current server',
    status: 400,
    at: 'end',
    times: 1,
  } as const;
  laboratory.simulator.faults.add(taken);
  await succeeds(laboratory, await laboratory.move(id, await otherThan(id)));
  await isWhole(laboratory, id);

  instance.type = 'virtual-machine';
  instance.config['migration.stateful'] = 'true';
  const { run } = instance;
  laboratory.simulator.faults.add(taken);
  await succeeds(laboratory, await laboratory.move(id, await otherThan(id)));
  assert.equal(instance.run, run, 'it continued to run');
  instance.type = 'container';
});

it('a guest that does not shut down is stopped by force, which is reported', async () => {
  const { id, name } = await runningServer(laboratory, 'deaf');
  laboratory.simulator.faults.guest(name, { ignoresShutdown: true });
  const { status, message } = await laboratory.ended((await laboratory.move(id)).id);
  assert.deepEqual(
    [status, /did not shut down within 2 s, so its power was cut/.test(message)],
    ['succeeded', true],
  );
  await isWhole(laboratory, id);
});

it('a virtual machine is stopped only if it can not be migrated live', async () => {
  const { id, name } = await runningServer(laboratory, 'machine');
  const instance = laboratory.simulator.model.projects.get(project)?.instances.get(name);
  assert.ok(instance);
  instance.type = 'virtual-machine';
  instance.config['migration.stateful'] = 'true';
  const { run } = instance;
  await succeeds(laboratory, await laboratory.move(id));
  assert.equal(instance.run, run, 'it continued to run');

  const live = { kind: 'operation', method: 'POST', path: `/instances/${name}$` } as const;
  laboratory.simulator.faults.add({ ...live, text: 'CPUs differ', at: 'begin', times: 1 });
  const { status, message } = await laboratory.ended((await laboratory.move(id)).id);
  assert.equal(status, 'succeeded', message);
  assert.match(
    message,
    /stopped for that, since it could not be moved live: The engine reported a failure\./,
  );
  assert.notEqual(instance.run, run);
  assert.equal(instance.status, 'Running');
  instance.type = 'container';
});

it('a delete supersedes a move, and nothing is left on either node', async () => {
  const { id, name } = await runningServer(laboratory, 'deleted');
  const [from, to] = [await whereIs(id), await otherThan(id)];
  const before = { from: await held(from), to: await held(to) };
  await laboratory.move(id, to);
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  assert.equal(await laboratory.client.instances.get(name), null);
  const volumes = await laboratory.client.storage.listVolumes('berth');
  assert.ok(!volumes.some((volume) => volume.name === name));
  assert.deepEqual(await held(to), before.to);
  assert.deepEqual(await held(from), [(before.from[0] ?? 0) - 1, (before.from[1] ?? 0) - 256]);
});
