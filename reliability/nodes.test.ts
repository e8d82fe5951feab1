import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { newMember } from '../incus-sim/src/model.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { runningServer } from './servers.ts';

const sweepMilliseconds = 200;

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  laboratory = await openLaboratory({ members: ['a', 'b'], sweepMilliseconds });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
after(() => laboratory.close());

type Shown = Record<'name' | 'state' | 'failure_domain' | 'incus_version', string> & {
  capacity: object;
  servers: number;
};

async function nodes(): Promise<Shown[]> {
  return (await laboratory.ask('/nodes', headers)) as unknown as Shown[];
}

const are = (...wanted: [name: string, state: string][]) =>
  eventually(async () => {
    const seen = (await nodes()).map(({ name, state }) => [name, state]);
    assert.deepEqual(seen, wanted);
  });

it('the nodes of a location are the members of its cluster, with their resources', async () => {
  await are(['a', 'online'], ['b', 'online']);
  const rack = laboratory.simulator.model.members.get('b');
  assert.ok(rack);
  rack.failureDomain = 'rack-2';
  await eventually(async () => {
    const [first, second] = await nodes();
    assert.deepEqual([first?.failure_domain, second?.failure_domain], ['default', 'rack-2']);
    assert.deepEqual(second?.capacity, { cpu: 8, ram: 1024 * 1024, disk: 100 });
    assert.equal(second?.incus_version, '6.0.4');
  });
});

it('a member that does not answer is offline, even if Incus lists it as online', async () => {
  laboratory.simulator.takeMemberDown('b', true);
  await are(['a', 'online'], ['b', 'offline']);
  const [, listed] = await laboratory.client.server.members();
  assert.equal(listed?.status, 'Online');
  laboratory.simulator.takeMemberDown('b', false);
  await are(['a', 'online'], ['b', 'online']);
});

it('a member that answers is online with its last known resources, even if it can not report them', async () => {
  const { faults } = laboratory.simulator;
  const { db } = laboratory.database;
  const [before] = await nodes();
  faults.add({ kind: 'error', method: 'GET', path: '/resources$', text: 'broken', status: 500 });
  const looked = await db.selectFrom('nodes').select('updated_at').executeTakeFirstOrThrow();
  await eventually(async () => {
    const now = await db.selectFrom('nodes').select('updated_at').execute();
    assert.ok(now.every(({ updated_at }) => updated_at > looked.updated_at));
  });
  const [after] = await nodes();
  faults.clear();
  assert.deepEqual([after?.state, after?.capacity], ['online', before?.capacity]);
});

it('an evacuated member is shown as such, and gets no servers', async () => {
  const evacuated = laboratory.simulator.model.members.get('a');
  assert.ok(evacuated);
  evacuated.evacuated = true;
  await are(['a', 'evacuated'], ['b', 'online']);
  const { id } = await runningServer(laboratory, 'away');
  assert.equal((await laboratory.ask(`/servers/${id}`)).node, 'b');
  evacuated.evacuated = false;
  await are(['a', 'online'], ['b', 'online']);
});

it('a server that is moved in Incus is recorded, and counted, on its new node', async () => {
  const { id, name } = await runningServer(laboratory, 'moved');
  const instance = laboratory.simulator.model.projects.get(project)?.instances.get(name);
  assert.ok(instance);
  const counts = async () => (await nodes()).map(({ servers }) => servers);
  const total = (await counts()).reduce((sum, count) => sum + count, 0);
  for (const member of ['a', 'b', 'a']) {
    instance.member = member;
    await eventually(async () => {
      assert.equal((await laboratory.ask(`/servers/${id}`)).node, member);
    });
    const [onA = 0, onB = 0] = await counts();
    assert.equal(onA + onB, total);
    assert.deepEqual(member === 'a' ? onA : onB, await recordedOn(member));
  }
});

async function recordedOn(name: string): Promise<number> {
  const { db } = laboratory.database;
  const { count } = await db
    .selectFrom('servers')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('nodes.name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

it('an administrator’s setting of a node is kept whatever the engine reports', async () => {
  const { db } = laboratory.database;
  await db.updateTable('nodes').set({ cordoned: true }).where('name', '=', 'b').execute();
  laboratory.simulator.takeMemberDown('b', true);
  await are(['a', 'online'], ['b', 'offline']);
  laboratory.simulator.takeMemberDown('b', false);
  await are(['a', 'online'], ['b', 'cordoned']);
  await db.updateTable('nodes').set({ cordoned: false }).execute();
});

it('a new member appears; a removed one disappears, or is shown as gone while it has servers', async () => {
  const { members } = laboratory.simulator.model;
  members.set('c', newMember('c', '10.255.0.3:8443'));
  await are(['a', 'online'], ['b', 'online'], ['c', 'online']);
  members.delete('c');
  await are(['a', 'online'], ['b', 'online']);
  const b = members.get('b');
  assert.ok(b);
  members.delete('b');
  await are(['a', 'online'], ['b', 'gone']);
  members.set('b', b);
  await are(['a', 'online'], ['b', 'online']);
});
