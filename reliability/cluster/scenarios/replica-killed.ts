import assert from 'node:assert/strict';
import { startService, stopService } from '../../../e2e/service.ts';
import { amidClients, begin, succeeds } from '../maintenance.ts';
import type { Scenario } from '../scenario.ts';
import { secondsUntil, serversByMember, truthIsBack, type World } from '../world.ts';

const movingSeconds = 60;
const truthSeconds = 60;

async function run(world: World) {
  const { client, machines, services } = world;
  const evacuated = machines[2];
  // Each replica is killed in turn, since either may be the one that carries out the operation.
  assert.ok(evacuated);
  const before = (await serversByMember(world, client)).get(evacuated.name) ?? [];
  return await amidClients(world, async () => {
    const took: Record<string, number> = {};
    for (const [service, action] of [
      [services[0], 'evacuate'],
      [services[1], 'restore'],
    ] as const) {
      assert.ok(service);
      const began = performance.now();
      const id = await begin(world, action, evacuated);
      await secondsUntil(movingSeconds, async () => {
        const { progress } = await world.requests.get<{ progress: number }>(`/operations/${id}`);
        assert.ok(progress > 0 && progress < 100, 'the operation is in progress');
      });
      await stopService(service.directory, 'SIGKILL');
      await succeeds(world, id);
      took[action] = (performance.now() - began) / 1000;
      await startService(service);
    }
    const after = (await serversByMember(world, client)).get(evacuated.name) ?? [];
    assert.deepEqual(after.sort(), before.sort(), 'the servers are back');
    took.truth = await secondsUntil(truthSeconds, () => truthIsBack(world));
    return { took, moved: 2 * before.length };
  });
}

export const replicaKilled: Scenario = {
  name: 'replica killed',
  did: 'A replica is killed with SIGKILL during an evacuation, and the other one during its restore.',
  run,
  mayShow: ['started/stopped', 'stopped/stopped', 'stopped/started', 'started/unavailable'],
};
