import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { failsWith } from '../contract/assertions.ts';
import { create, simulated, start, statusOf } from './setup.ts';

describe('a cluster', () => {
  it('places instances on the member that is asked for, or the emptiest', async () => {
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

  it('tells of each member where it fails together with others, and that it is evacuated', async () => {
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

  it('shows the instances of a member that is down as an error, and it as online for 20 s', async () => {
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
