import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { newMember } from '../incus-sim/src/model.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { enterServer } from '../service/src/testing/servers.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, isWhole, nothingIsLeft, runningServer } from './servers.ts';

const sweepMilliseconds = 500;
/** The number in a real service. */
const concurrency = 64;

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  const members = ['a', 'b', 'c'];
  laboratory = await openLaboratory({ members, sweepMilliseconds, concurrency, workers: 1 });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
afterEach(() => laboratory.simulator.faults.clear());
after(() => laboratory.close());

const node = async (name: string) => await laboratory.ask(`/nodes/${name}`, headers);
const isIn = (name: string, state: string) =>
  eventually(async () => assert.equal((await node(name)).state, state));
const server = async (id: number) =>
  (await laboratory.ask(`/servers/${id}`)) as {
    unavailable: { reason: string; since: string } | null;
    allowed_actions: string[];
    ip_addresses: object[];
    uuid: string;
    node: string;
  };

async function serverOn(name: string, hostname: string) {
  const made = await runningServer(laboratory, hostname);
  if ((await server(made.id)).node !== name) {
    await succeeds(laboratory, await laboratory.move(made.id, name));
  }
  return made;
}

const declareLost = (name: string, confirm = name) =>
  laboratory.post(`/nodes/${name}/declare-lost`, headers, { confirm });

/** Switches a node off, and declares it lost when it is shown as offline. */
async function lose(name: string): Promise<void> {
  laboratory.simulator.takeMemberDown(name, true);
  let id = 0;
  await eventually(async () => {
    const answer = await declareLost(name);
    assert.equal(answer.statusCode, 202, answer.body);
    id = answer.json().operation_id;
  });
  const { status, message } = await laboratory.ended(id);
  assert.equal(status, 'succeeded', message);
}

it('a server on an unreachable node says why and since when it is unavailable', async () => {
  const { id } = await serverOn('b', 'silent');
  assert.equal((await server(id)).unavailable, null);
  laboratory.simulator.takeMemberDown('b', true);
  await isIn('b', 'offline');
  const { unavailable } = await server(id);
  assert.equal(unavailable?.reason, 'Its node b does not answer.');
  assert.equal(unavailable?.since, (await node('b')).status_since);
  laboratory.simulator.takeMemberDown('b', false);
  await isIn('b', 'online');
  assert.equal((await server(id)).unavailable, null);
});

it('operations on an unreachable node wait, and run when it is back', async () => {
  const { id } = await serverOn('b', 'waits');
  laboratory.simulator.takeMemberDown('b', true);
  await isIn('b', 'offline');
  const stop = await laboratory.request(id, 'stop');
  await eventually(async () => {
    const { message } = await laboratory.ask(`/operations/${stop.id}`);
    assert.match(String(message), /waiting for b, which does not answer/);
  });
  laboratory.simulator.takeMemberDown('b', false);
  await succeeds(laboratory, stop);
  await isWhole(laboratory, id, 'stopped');
});

it('very many operations on an unreachable node do not delay others', async (t) => {
  const { db } = laboratory.database;
  const { place, simulator } = laboratory;
  const { id: nodeId } = (await node('b')) as { id: number };
  const other = await serverOn('a', 'bystander');
  const { name: model } = await serverOn('b', 'model');
  const instances = simulator.model.projects.get(project)?.instances ?? new Map();
  // These are more than can be carried out at once, and none of them gets a response.
  const names: string[] = [];
  const ids: number[] = [];
  for (let made = 0; made < 3 * concurrency; made += 1) {
    const id = await enterServer(db, { ...place, nodeId }, { hostname: `cut-off-${made}` });
    const { name } = await laboratory.server(id);
    instances.set(name, { ...instances.get(model), name });
    names.push(name);
    ids.push(id);
  }
  simulator.faults.add({ kind: 'delay', ms: 60_000, path: `/instances/(${names.join('|')})` });
  for (const id of ids) await laboratory.request(id, 'stop');

  const times: number[] = [];
  for (let asked = 0; asked < 200; asked += 1) {
    const begun = performance.now();
    await server(other.id);
    times.push(performance.now() - begun);
  }
  const begun = performance.now();
  simulator.takeMemberDown('b', true);
  await succeeds(laboratory, await laboratory.request(other.id, 'stop'));
  await succeeds(laboratory, await laboratory.request(other.id, 'start'));
  const seconds = (performance.now() - begun) / 1000;
  const p99 = times.sort((one, another) => one - another)[Math.floor(times.length * 0.99)] ?? 0;
  t.diagnostic(
    `p99 of requests: ${p99.toFixed(1)} ms; a stop and a start: ${seconds.toFixed(1)} s`,
  );

  const theirs = db
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .select(['operations.message', 'operations.lease_until'])
    .where('servers.id', 'in', ids)
    .where('operations.finished_at', 'is', null);
  await eventually(async () => {
    const waiting = await theirs.execute();
    assert.equal(waiting.length, ids.length);
    assert.ok(waiting.every(({ message }) => /waiting for b, which/.test(message)));
  });
  await db
    .updateTable('operations')
    .set({ status: 'superseded', finished_at: new Date() })
    .where('finished_at', 'is', null)
    .execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', 'in', ids).execute();
  for (const name of names) instances.delete(name);
  simulator.faults.clear();
  simulator.takeMemberDown('b', false);
  await isIn('b', 'online');
});

it('a node is not declared lost by mistake', async () => {
  const answers = await declareLost('c');
  assert.deepEqual([answers.statusCode, answers.json().code], [409, 'node_answers']);
  const other = await declareLost('c', 'b');
  assert.deepEqual([other.statusCode, other.json().errors[0].pointer], [422, '/confirm']);
  const nothing = await laboratory.post('/nodes/c/declare-lost', headers, {});
  assert.equal(nothing.statusCode, 422);
});

it('the servers of a lost node are in error, and are rebuilt elsewhere or deleted', async () => {
  const [rebuilt, deleted, waiting] = [
    await serverOn('c', 'rebuilt'),
    await serverOn('c', 'deleted'),
    await serverOn('c', 'waiting'),
  ];
  const early = await laboratory.post(`/servers/${rebuilt.id}/rebuild`, undefined, {
    password: 'correct horse battery',
    initialCommands: [],
  });
  assert.deepEqual([early.statusCode, early.json().errors[0].pointer], [422, '/erase']);
  laboratory.simulator.takeMemberDown('c', true);
  await isIn('c', 'offline');
  const stop = await laboratory.request(waiting.id, 'stop');
  const removal = await laboratory.request(deleted.id, 'delete');
  const answer = await declareLost('c');
  assert.equal(answer.statusCode, 202, answer.body);
  await isRecordedAs(laboratory, rebuilt.id, 'error', /Its node c was declared lost/);
  assert.equal((await laboratory.ended(stop.id)).status, 'superseded');
  const { operation_id: id } = answer.json();
  const given = await laboratory.ended(id);
  assert.equal(given.status, 'succeeded', given.message);
  assert.equal((await node('c')).state, 'lost');
  const names = (await laboratory.client.server.members()).map((m) => m.server_name);
  assert.deepEqual(names, ['a', 'b']);

  // The engine confirms that nothing is left, so the addresses are released.
  await succeeds(laboratory, removal);
  await nothingIsLeft(laboratory, deleted.id);

  const before = await server(rebuilt.id);
  assert.deepEqual(before.allowed_actions, ['rebuild', 'delete']);
  const again = await laboratory.post(`/servers/${rebuilt.id}/rebuild`, undefined, {
    password: 'correct horse battery',
    initialCommands: ['echo ran >> /root/ran'],
  });
  assert.equal(again.statusCode, 202, again.body);
  await succeeds(laboratory, await laboratory.ended(again.json().operation_id));
  const now = await server(rebuilt.id);
  assert.deepEqual([now.uuid, now.ip_addresses], [before.uuid, before.ip_addresses]);
  assert.notEqual(now.node, 'c');
  await isWhole(laboratory, rebuilt.id);

  await isRecordedAs(laboratory, waiting.id, 'error', /Its node c was declared lost/);
  await succeeds(laboratory, await laboratory.request(waiting.id, 'delete'));
  await nothingIsLeft(laboratory, waiting.id);
});

const secrets = { password: 'correct horse battery', initialCommands: ['echo ran >> /root/ran'] };

it('a lost node gets no servers until it has joined its cluster again', async () => {
  const { members } = laboratory.simulator.model;
  members.set('c', newMember('c', '10.255.0.9:8443'));
  await isIn('c', 'online');
  const { id } = await serverOn('c', 'anew');
  await isWhole(laboratory, id);
});

it('a server of a lost node can also be rebuilt after the machine has joined again under its name', async () => {
  const { id } = await serverOn('c', 'late');
  await lose('c');
  const before = (await node('c')) as { id: number; servers: number };
  laboratory.simulator.model.members.set('c', newMember('c', '10.255.0.9:8443'));
  await isIn('c', 'online');

  const anew = (await node('c')) as { id: number; servers: number };
  assert.notEqual(anew.id, before.id);
  assert.equal(anew.servers, 0, 'the lost server uses no capacity of the node');
  const { node: on, allowed_actions: allowed } = await server(id);
  assert.equal(on, `c (lost ${before.id})`);
  assert.deepEqual(allowed, ['rebuild', 'delete']);
  const shown = (await node(encodeURIComponent(on))) as { state: string; servers: number };
  assert.deepEqual([shown.state, shown.servers], ['lost', before.servers]);
  const rebuild = await laboratory.post(`/servers/${id}/rebuild`, undefined, secrets);
  assert.equal(rebuild.statusCode, 202, rebuild.body);
  await succeeds(laboratory, await laboratory.ended(rebuild.json().operation_id));
  await isWhole(laboratory, id);
});

it('a server that was being moved from a lost node reports that, and is rebuilt', async () => {
  const { id } = await serverOn('b', 'leaving');
  const move = await laboratory.move(id);
  await lose('b');
  assert.equal((await laboratory.ended(move.id)).status, 'failed');
  await eventually(() => isRecordedAs(laboratory, id, 'error', /Its node b was declared lost/));
  const rebuild = await laboratory.post(`/servers/${id}/rebuild`, undefined, secrets);
  assert.equal(rebuild.statusCode, 202, rebuild.body);
  await succeeds(laboratory, await laboratory.ended(rebuild.json().operation_id));
  await isWhole(laboratory, id);
});
