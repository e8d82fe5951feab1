import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { failsWith } from '../contract/assertions.ts';
import { create, simulated, start, statusOf } from './setup.ts';

describe('a cluster', () => {
  it('places instances on the requested member, or the emptiest', async () => {
    const sim = await simulated({ members: ['a', 'b'] });
    const { client } = sim;
    await create(sim, 'one', 'b');
    await create(sim, 'two');
    const places = (await client.instances.list()).map(({ location }) => location);
    assert.deepEqual(places, ['b', 'a']);
    await assert.rejects(create(sim, 'three', 'c'), failsWith('not_found'));
    const members = await client.server.members();
    assert.deepEqual(
      members.map(({ server_name, status }) => [server_name, status]),
      [
        ['a', 'Online'],
        ['b', 'Online'],
      ],
    );
    assert.equal((await client.server.info()).environment.server_clustered, true);
  });

  it('moves an instance to another member, stopped, or live if possible', async () => {
    const sim = await simulated({ members: ['a', 'b'] });
    const { client, simulator } = sim;
    await create(sim, 'one', 'a');
    const move = async (live: boolean, target = 'b') => {
      const { id } = await client.instances.migrate('one', { target, live });
      await client.operations.wait(id, { timeoutSeconds: 60 });
    };
    const where = async () => (await client.instances.get('one'))?.location;
    await assert.rejects(move(false, 'a'), failsWith('invalid'));
    await assert.rejects(move(false, 'c'), failsWith('not_found'));
    await move(false);
    assert.equal(await where(), 'b');
    const [volume] = (await client.storage.listVolumes('disks')).filter((v) => v.name === 'one');
    assert.equal(volume?.location, 'b');

    await start(sim, 'one');
    await assert.rejects(move(false, 'a'), failsWith('invalid'));
    await assert.rejects(move(true, 'a'), /CRIU/);
    simulator.takeMemberDown('a', true);
    await assert.rejects(move(true, 'a'), failsWith('unreachable'));
    assert.equal(await where(), 'b');
  });

  it('evacuates a member, and removes one by force with its instances', async () => {
    const sim = await simulated({ members: ['a', 'b'] });
    const { client, simulator } = sim;
    await create(sim, 'one', 'b');
    const change = async (action: 'evacuate' | 'restore') => {
      const { id } = await client.server.changeMember('b', action);
      await client.operations.wait(id, { timeoutSeconds: 60 });
    };
    const shown = async () => {
      const [instance] = await client.instances.list();
      const members = await client.server.members();
      return [instance?.location, members.find((m) => m.server_name === 'b')?.status];
    };
    await change('evacuate');
    assert.deepEqual(await shown(), ['a', 'Evacuated']);
    await assert.rejects(change('evacuate'), /already evacuated/);
    await change('restore');
    assert.deepEqual(await shown(), ['b', 'Online']);
    simulator.takeMemberDown('b', true);
    await assert.rejects(client.server.changeMember('b', 'evacuate'), failsWith('unreachable'));
    await client.server.forgetMember('b');
    assert.deepEqual(await shown(), [undefined, undefined]);
    assert.deepEqual(
      (await client.storage.listVolumes('disks')).filter(({ type }) => type !== 'image'),
      [],
    );
    await assert.rejects(client.server.forgetMember('b'), failsWith('not_found'));
  });

  it('reports each member that fails, and that it is evacuated', async () => {
    const { client, simulator } = await simulated({ members: ['a', 'b'] });
    const b = simulator.model.members.get('b');
    assert.ok(b);
    Object.assign(b, { failureDomain: 'rack-2', evacuated: true });
    const told = async () => {
      const members = await client.server.members();
      return members.map((m) => [m.server_name, m.status, m.failure_domain]);
    };
    const wanted = [
      ['a', 'Online', 'default'],
      ['b', 'Evacuated', 'rack-2'],
    ];
    assert.deepEqual(await told(), wanted);
    assert.equal((await client.server.info('b')).environment.server_name, 'b');
    simulator.takeMemberDown('b', true);
    b.downSince = Date.now() - 20_000;
    assert.deepEqual(await told(), wanted, 'Incus does not show such a member as offline');
    for (const ask of [
      client.server.info('b'),
      client.server.resources('b'),
      client.storage.poolResources('disks', 'b'),
    ]) {
      await assert.rejects(ask, failsWith('unreachable'));
    }
    await assert.rejects(client.server.info('c'), failsWith('not_found'));
  });

  it('shows instances of a member that is down as errors, and the member as online for 20 s', async () => {
    const sim = await simulated({ members: ['a', 'b'] });
    const { client, simulator } = sim;
    for (const member of ['a', 'b']) {
      await create(sim, `on-${member}`, member);
      await start(sim, `on-${member}`);
    }
    simulator.takeMemberDown('b', true);
    const statuses = (await client.instances.list()).map(({ name, status }) => [name, status]);
    assert.deepEqual(statuses, [
      ['on-a', 'Running'],
      ['on-b', 'Error'],
    ]);
    await assert.rejects(client.instances.get('on-b'), failsWith('unreachable'));
    await assert.rejects(client.server.metrics('b', text), failsWith('unreachable'));
    await assert.rejects(create(sim, 'more', 'b'), failsWith('unreachable'));
    const listed = async () => (await client.server.members())[1]?.status;
    assert.equal(await listed(), 'Online');
    const member = simulator.model.members.get('b');
    assert.ok(member?.downSince);
    member.downSince -= 20_000;
    assert.equal(await listed(), 'Offline');
    simulator.takeMemberDown('b', false);
    assert.equal(await listed(), 'Online');
    assert.equal(await statusOf(sim, 'on-b'), 'Running');
  });
});
