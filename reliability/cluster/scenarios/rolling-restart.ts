import assert from 'node:assert/strict';
import { say } from '../../../e2e/stack.ts';
import { startDaemon, stopDaemon } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import { create, isStarted, returned, secondsUntil, shownUnderWay, type World } from '../world.ts';

const onlineSeconds = 60;
const createdSeconds = 60;
/** Incus once kept an instance locked for more than two minutes after a restart during its creation. */
const heldSeconds = 240;

async function run(world: World) {
  const { client, machines } = world;
  const creating: { id: number }[] = [];
  for (const machine of machines) {
    creating.push(await create(world, `amid-restarts-${machine.name}`));
    await stopDaemon(machine);
    await startDaemon(machine);
    await secondsUntil(onlineSeconds, async () => {
      const members = await client.server.members();
      for (const { server_name: name, status } of members) assert.equal(status, 'Online', name);
    });
  }
  const back = await returned(world);
  const areStarted = async () => {
    for (const { id } of creating) await isStarted(world, id);
  };
  const created = await secondsUntil(createdSeconds, areStarted).catch(async () => {
    say(`A create waits. Operations in progress in Incus: ${await shownUnderWay(world)}`);
    return createdSeconds + (await secondsUntil(heldSeconds, areStarted));
  });
  return { took: { ...back, 'creates meanwhile': created } };
}

export const rollingRestart: Scenario = {
  name: 'rolling restart',
  did: 'The daemons are stopped with SIGTERM and started again, one after the other, during creates.',
  run,
  mayShow: ['started/unavailable'],
};
