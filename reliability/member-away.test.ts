import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { isRecordedAs, runningServer } from './servers.ts';
import { throughout } from './waiting.ts';

const sweepMilliseconds = 200;

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ members: ['a', 'b'], sweepMilliseconds });
});
after(() => laboratory.close());

it('servers on a member that is down keep their status, are unavailable, and are synced once it is back', async () => {
  const { client, simulator } = laboratory;
  const servers = [
    await runningServer(laboratory, 'one'),
    await runningServer(laboratory, 'another'),
  ];
  simulator.takeMemberDown('b', true);
  const listed = await client.instances.list();
  const on = (member: string) => {
    const name = listed.find(({ location }) => location === member)?.name ?? '';
    const server = servers.find((one) => one.name === name);
    assert.ok(server, `one is on the member ${member}`);
    return server;
  };
  const is = (id: number, wanted: string) => () => isRecordedAs(laboratory, id, wanted);
  const isReally = (id: number, wanted: string) => async () => {
    const { real_status } = await laboratory.ask(`/servers/${id}/status`);
    assert.equal(real_status, wanted);
  };
  assert.equal(listed.find(({ name }) => name === on('b').name)?.status, 'Error');
  await throughout(5 * sweepMilliseconds, is(on('b').id, 'started'));
  await eventually(isReally(on('b').id, 'unavailable'));
  await isReally(on('a').id, 'started')();

  // The others are still synced, only by sweeps.
  simulator.disturbEvents({ lose: 1000 });
  simulator.administrator.stop(project, on('a').name);
  simulator.administrator.stop(project, on('b').name);
  await eventually(is(on('a').id, 'stopped'));
  await is(on('b').id, 'started')();
  simulator.takeMemberDown('b', false);
  await eventually(is(on('b').id, 'stopped'));
  await eventually(isReally(on('b').id, 'stopped'));
});

it('a member that goes offline or comes back is detected without an event, long before the next full sync', async () => {
  await using stack = new AsyncDisposableStack();
  const rarely = { sweepMilliseconds: 3_600_000, pingMilliseconds: 100 };
  const place = await openLaboratory({ members: ['a', 'b'], ...rarely });
  stack.defer(() => place.close());
  const { id, name } = await runningServer(place, 'noticed');
  const member = (await place.client.instances.get(name))?.location ?? '';
  const isReally = (wanted: string) => async () => {
    const { real_status } = await place.ask(`/servers/${id}/status`);
    assert.equal(real_status, wanted);
  };
  place.simulator.takeMemberDown(member, true);
  await eventually(isReally('unavailable'));
  await isRecordedAs(place, id, 'started');
  place.simulator.takeMemberDown(member, false);
  await eventually(isReally('started'));
});

it('a member that goes offline or comes back is detected while the list of all instances waits for another member', async () => {
  await using stack = new AsyncDisposableStack();
  const rarely = { sweepMilliseconds: 3_600_000, pingMilliseconds: 100 };
  const place = await openLaboratory({ members: ['a', 'b'], ...rarely });
  stack.defer(() => place.close());
  const { client, simulator } = place;
  const servers = [await runningServer(place, 'one'), await runningServer(place, 'another')];
  const instances = await Promise.all(servers.map(({ name }) => client.instances.get(name)));
  const [first, second] = servers.map((server, index) => {
    const member = instances[index]?.location ?? '';
    const isReally = (wanted: string) =>
      eventually(async () => {
        const { real_status } = await place.ask(`/servers/${server.id}/status`);
        assert.equal(real_status, wanted);
      });
    return { ...server, isReally, take: (away: boolean) => simulator.takeMemberDown(member, away) };
  });
  assert.ok(first && second);
  const list = { method: 'GET', path: '^/1\\.0/instances$' };
  const takeBack = simulator.faults.add({ ...list, kind: 'delay', ms: 120_000, times: 1 });
  first.take(true);
  await first.isReally('unavailable');
  await eventually(async () =>
    assert.equal(simulator.faults.delayed(), 1, 'a list of instances waits'),
  );
  second.take(true);
  await second.isReally('unavailable');
  simulator.administrator.stop(project, first.name);
  first.take(false);
  await first.isReally('stopped');
  await second.isReally('unavailable');
  assert.equal(simulator.faults.delayed(), 1, 'the list has waited all the time');
  takeBack();
});

it('an instance that is listed as unreachable or broken is shown with its own status', async () => {
  const { simulator } = laboratory;
  const { id, name } = await runningServer(laboratory, 'late');
  const listed = async () => {
    const all = await laboratory.client.instances.list();
    return all.find((instance) => instance.name === name);
  };
  const member = simulator.model.members.get((await listed())?.location ?? '');
  assert.ok(member);
  member.isLate = true;
  assert.equal((await listed())?.status, 'Error');
  await throughout(5 * sweepMilliseconds, async () => {
    await isRecordedAs(laboratory, id, 'started');
    assert.equal((await laboratory.ask(`/servers/${id}/status`)).real_status, 'started');
  });
  simulator.disturbEvents({ lose: 1000 });
  simulator.administrator.stop(project, name);
  await eventually(() => isRecordedAs(laboratory, id, 'stopped'));
  member.isLate = false;
});
