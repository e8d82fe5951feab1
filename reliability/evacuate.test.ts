import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { isWhole, runningServer } from './servers.ts';

const sweepMilliseconds = 200;

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  laboratory = await openLaboratory({ members: ['a', 'b', 'c'], sweepMilliseconds });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
afterEach(() => laboratory.simulator.faults.clear());
after(() => laboratory.close());

interface Moved {
  id: number;
  state: string;
  node: string;
  reason: string | null;
}
interface Shown {
  status: string;
  message: string;
  progress: number;
  node: string;
  server_id: null;
  servers: Moved[];
}

const show = async (id: number) =>
  (await laboratory.ask(`/operations/${id}`, headers)) as unknown as Shown;
const stateOf = async (node: string) => (await laboratory.ask(`/nodes/${node}`, headers)).state;

/** Requests it, and returns the id of the operation. */
async function begin(node: string, action: 'evacuate' | 'restore'): Promise<number> {
  const answer = await laboratory.post(`/nodes/${node}/${action}`, headers);
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json().operation_id;
}

async function ended(id: number): Promise<Shown> {
  await laboratory.ended(id);
  return await show(id);
}

async function serversOn(node: string, count: number): Promise<{ id: number; name: string }[]> {
  const servers = [];
  for (let made = 0; made < count; made += 1) {
    const server = await runningServer(laboratory, `on-${node}-${made}`);
    if ((await laboratory.server(server.id)).node !== node) {
      await laboratory.ended((await laboratory.move(server.id, node)).id);
    }
    servers.push(server);
  }
  return servers;
}

/** Blocks every request that would stop a server until it is released, whatever the speed of the machine. */
const holdStop = (name: string) =>
  laboratory.simulator.faults.add({
    ...{ kind: 'delay', ms: 24 * 3_600_000 },
    ...{ method: 'PUT', path: `/instances/${name}/state$` },
  });

it('an evacuated node has no servers and is out of service; a restored one has its servers again', async () => {
  const servers = await serversOn('a', 5);
  const [stopped] = servers;
  assert.ok(stopped);
  await laboratory.ended((await laboratory.request(stopped.id, 'stop')).id);
  const evacuation = await begin('a', 'evacuate');
  assert.equal(await stateOf('a'), 'cordoned', 'it is cordoned from the request on');
  const done = await ended(evacuation);
  assert.deepEqual([done.status, done.progress, done.node], ['succeeded', 100, 'a'], done.message);
  assert.match(done.message, /5 servers were moved/);
  const are = ({ servers: all }: Shown) => all.map(({ id, state }) => [id, state]);
  const allMoved = servers.map(({ id }) => [id, 'moved']);
  assert.deepEqual(are(done), allMoved);
  for (const { id } of servers) {
    assert.notEqual((await laboratory.server(id)).node, 'a');
    await isWhole(laboratory, id, id === stopped.id ? 'stopped' : 'started');
  }
  const [member] = await laboratory.client.server.members();
  assert.equal(member?.status, 'Evacuated');
  assert.equal(await stateOf('a'), 'evacuated');

  const back = await ended(await begin('a', 'restore'));
  assert.equal(back.status, 'succeeded', back.message);
  assert.deepEqual(are(back), allMoved);
  for (const { id } of servers) assert.equal((await laboratory.server(id)).node, 'a');
  await eventually(async () => assert.equal(await stateOf('a'), 'online'));
  const { db } = laboratory.database;
  const noted = db.selectFrom('servers').select('id').where('evacuated_from', 'is not', null);
  assert.deepEqual(await noted.execute(), []);
  for (const { id } of servers) {
    await laboratory.ended((await laboratory.request(id, 'delete')).id);
  }
});

it('servers without capacity elsewhere stay, and another request continues with them', async () => {
  const servers = await serversOn('b', 3);
  const { db } = laboratory.database;
  const set = (values: object) =>
    db.updateTable('nodes').set(values).where('name', 'in', ['a', 'c']).execute();
  const rooms = await db.selectFrom('nodes').select(['name', 'servers']).execute();
  const room = (name: string) => rooms.find((one) => one.name === name)?.servers ?? 0;
  await set({ cordoned: true });
  const { failed, left } = await once();
  assert.match(failed.message, /3 servers stay where they are/);
  assert.match(failed.message, /No node of this location takes servers.*The node stays cordoned/);
  assert.equal(left.length, 3);
  assert.match(left[0]?.reason ?? '', /2 are cordoned/);
  assert.equal(await stateOf('b'), 'cordoned');
  await set({ cordoned: false });
  const done = await ended(await begin('b', 'evacuate'));
  assert.equal(done.status, 'succeeded', done.message);
  for (const { id } of servers) assert.notEqual((await laboratory.server(id)).node, 'b');
  assert.ok(room('b') >= 3);

  // One server was moved by hand meanwhile, and stays there.
  const [first] = servers;
  assert.ok(first);
  const at = (await laboratory.server(first.id)).node === 'a' ? 'c' : 'a';
  await laboratory.ended((await laboratory.move(first.id, at)).id);
  const back = await ended(await begin('b', 'restore'));
  assert.match(back.message, /2 servers were moved back/);
  assert.equal((await laboratory.server(first.id)).node, at);
  for (const { id } of servers) {
    await laboratory.ended((await laboratory.request(id, 'delete')).id);
  }

  async function once() {
    const failed = await ended(await begin('b', 'evacuate'));
    assert.equal(failed.status, 'failed');
    const left = failed.servers.filter(({ state }) => state === 'failed');
    return { failed, left };
  }
});

it('a server with an operation is waited for, and one that is deleted meanwhile counts as done', async () => {
  const [busy, deleted] = await serversOn('c', 2);
  assert.ok(busy && deleted);
  laboratory.simulator.faults.guest(busy.name, { ignoresShutdown: true });
  const letStop = holdStop(busy.name);
  const stop = await laboratory.request(busy.id, 'stop');
  const evacuation = await begin('c', 'evacuate');
  const removal = await laboratory.request(deleted.id, 'delete');
  const while_ = await show(evacuation);
  assert.equal(while_.servers.find(({ id }) => id === busy.id)?.state, 'waiting');
  const again = await laboratory.post('/nodes/c/evacuate', headers);
  assert.deepEqual([again.statusCode, again.json().code], [409, 'operation_in_progress']);
  letStop();
  await laboratory.ended(stop.id);
  await laboratory.ended(removal.id);
  laboratory.simulator.faults.clear();
  laboratory.simulator.faults.guest('*', {});
  const done = await ended(evacuation);
  assert.equal(done.status, 'succeeded', done.message);
  assert.notEqual((await laboratory.server(busy.id)).node, 'c');
  const back = await ended(await begin('c', 'restore'));
  assert.equal(back.status, 'succeeded', back.message);
  await isWhole(laboratory, busy.id);
});

it('a node that is evacuated by hand during its restore is restored nevertheless', async () => {
  const [one] = await serversOn('c', 1);
  assert.ok(one);
  const out = await ended(await begin('c', 'evacuate'));
  assert.equal(out.status, 'succeeded', out.message);
  const letStop = holdStop(one.name);
  const restore = await begin('c', 'restore');
  await eventually(async () => assert.equal((await show(restore)).servers[0]?.state, 'moving'));
  const { operations, server } = laboratory.client;
  await operations.wait((await server.changeMember('c', 'evacuate')).id, { timeoutSeconds: 60 });
  letStop();
  const back = await ended(restore);
  assert.equal(back.status, 'succeeded', back.message);
  assert.equal((await laboratory.server(one.id)).node, 'c');
  await eventually(async () => assert.equal(await stateOf('c'), 'online'));
});

it('a restore supersedes a waiting evacuation, and the other way round', async () => {
  const [deaf, other] = await serversOn('c', 2);
  assert.ok(deaf && other);
  laboratory.simulator.faults.guest(deaf.name, { ignoresShutdown: true });
  let letStop = holdStop(deaf.name);
  const evacuation = await begin('c', 'evacuate');
  await eventually(async () => assert.notEqual((await laboratory.server(other.id)).node, 'c'));
  const restore = await begin('c', 'restore');
  const calledOff = await show(evacuation);
  assert.equal(calledOff.status, 'superseded');
  assert.match(
    calledOff.message,
    /^Evacuating the node was superseded by a request to restore the node/,
  );
  assert.notEqual(await stateOf('c'), 'cordoned');
  letStop();
  const back = await ended(restore);
  assert.equal(back.status, 'succeeded', back.message);
  const nodeOf = async ({ id }: { id: number }) => (await laboratory.server(id)).node;
  assert.deepEqual([await nodeOf(deaf), await nodeOf(other)], ['c', 'c']);

  const out = await ended(await begin('c', 'evacuate'));
  assert.equal(out.status, 'succeeded', out.message);
  letStop = holdStop(deaf.name);
  const again = await begin('c', 'restore');
  await eventually(async () => assert.ok((await show(again)).servers.length > 0));
  const evacuatedAgain = await begin('c', 'evacuate');
  assert.equal((await show(again)).status, 'superseded');
  letStop();
  const away = await ended(evacuatedAgain);
  assert.equal(away.status, 'succeeded', away.message);
  assert.equal(await stateOf('c'), 'evacuated');
  assert.ok(![await nodeOf(deaf), await nodeOf(other)].includes('c'));
  const end = await ended(await begin('c', 'restore'));
  assert.equal(end.status, 'succeeded', end.message);
  assert.deepEqual([await nodeOf(deaf), await nodeOf(other)], ['c', 'c']);
  for (const { id } of [deaf, other]) await isWhole(laboratory, id);
});

it('a failure of the engine is reported, and servers that were moved stay moved', async () => {
  const [one] = await serversOn('c', 1);
  assert.ok(one);
  laboratory.simulator.faults.add({
    kind: 'operation',
    method: 'POST',
    path: '/cluster/members/c/state$',
    text: 'Failed to migrate instance "theirs": no space left on device',
    at: 'half',
  });
  const failed = await ended(await begin('c', 'evacuate'));
  assert.equal(failed.status, 'failed');
  assert.match(failed.message, /no space left on the storage of the node/);
  assert.notEqual((await laboratory.server(one.id)).node, 'c');
  laboratory.simulator.faults.clear();
  const back = await ended(await begin('c', 'restore'));
  assert.equal(back.status, 'succeeded', back.message);
  assert.equal((await laboratory.server(one.id)).node, 'c');
});

it('an unreachable node is not evacuated', async () => {
  laboratory.simulator.takeMemberDown('b', true);
  await eventually(async () => assert.equal(await stateOf('b'), 'offline'));
  const answer = await laboratory.post('/nodes/b/evacuate', headers);
  assert.deepEqual([answer.statusCode, answer.json().code], [409, 'node_offline']);
  laboratory.simulator.takeMemberDown('b', false);
  await eventually(async () => assert.equal(await stateOf('b'), 'online'));
});

it('tenants see only the effects on their servers', async () => {
  const { db } = laboratory.database;
  const { id } = await db
    .selectFrom('operations')
    .select('id')
    .where('kind', '=', 'evacuate')
    .limit(1)
    .executeTakeFirstOrThrow();
  const { headers: tenant } = await createTestToken(db, { scopes: ['servers:read'] });
  assert.equal((await laboratory.ask(`/operations/${id}`, tenant)).code, 'operation_not_found');
  const all = (await laboratory.ask('/operations', tenant)) as unknown as {
    kind: string;
    node: null;
  }[];
  assert.ok(all.length > 0);
  assert.ok(all.every(({ kind, node }) => !['evacuate', 'restore'].includes(kind) && !node));
});
