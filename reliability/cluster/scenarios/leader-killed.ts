import assert from 'node:assert/strict';
import { killDaemon, startDaemon } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import {
  areOffline,
  create,
  isStarted,
  leaderOf,
  returned,
  secondsUntil,
  type World,
} from '../world.ts';

const knownSeconds = 90;
const createdSeconds = 60;

async function run(world: World) {
  const { requests } = world;
  const leader = await leaderOf(world);
  await killDaemon(leader);
  const known = await secondsUntil(knownSeconds, async () => {
    await areOffline(world, [leader]);
  });
  const { id } = await create(world, 'without-leader');
  const { node } = await requests.get<{ node: string }>(`/servers/${id}`);
  assert.notEqual(node, leader.name, 'it is placed on a member that is online');
  const created = await secondsUntil(createdSeconds, () => isStarted(world, id));
  await startDaemon(leader);
  const back = await returned(world);
  return {
    took: { 'shown as offline': known, 'a create': created, ...back },
  };
}

export const leaderKilled: Scenario = {
  name: 'leader killed',
  did: 'The daemon that leads the database of the cluster is killed with SIGKILL and started again.',
  run,
  mayShow: ['started/unavailable'],
};
