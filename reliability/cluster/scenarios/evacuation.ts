import assert from 'node:assert/strict';
import type { Node } from '@berth/contract/nodes';
import { amidClients, begin, succeeds } from '../maintenance.ts';
import type { Scenario } from '../scenario.ts';
import { secondsUntil, serversByMember, truthIsBack, type World } from '../world.ts';

const truthSeconds = 60;

async function run(world: World) {
  const { client, machines } = world;
  const evacuated = machines[1];
  assert.ok(evacuated);
  const before = (await serversByMember(world, client)).get(evacuated.name) ?? [];
  assert.ok(before.length > 0, 'the member has servers');
  return await amidClients(world, async () => {
    const began = performance.now();
    await succeeds(world, await begin(world, 'evacuate', evacuated));
    const gone = (performance.now() - began) / 1000;
    const { state } = await world.requests.get<Node>(`/nodes/${evacuated.name}`);
    assert.equal(state, 'evacuated');
    const left = (await serversByMember(world, client)).get(evacuated.name) ?? [];
    assert.deepEqual(left, [], 'no server is left on the member');
    await succeeds(world, await begin(world, 'restore', evacuated));
    const back = (performance.now() - began) / 1000 - gone;
    const after = (await serversByMember(world, client)).get(evacuated.name) ?? [];
    assert.deepEqual(after.sort(), before.sort(), 'the servers are back');
    const truth = await secondsUntil(truthSeconds, () => truthIsBack(world));
    return { took: { evacuated: gone, restored: back, truth }, moved: 2 * before.length };
  });
}

export const evacuation: Scenario = {
  name: 'evacuation',
  did: 'A member is evacuated and restored, while clients create, stop, start and delete servers.',
  run,
  mayShow: ['started/stopped', 'stopped/stopped', 'stopped/started', 'started/unavailable'],
};
