import assert from 'node:assert/strict';
import { killDaemon, startDaemon } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import {
  areOffline,
  create,
  isStarted,
  leaderOf,
  passedOnAgain,
  secondsUntil,
  truthIsBack,
  type World,
} from '../world.ts';

const knownSeconds = 90;
const createdSeconds = 60;
const truthSeconds = 10;

async function run(world: World) {
  const { requests } = world;
  const leader = await leaderOf(world);
  await killDaemon(leader);
  const known = await secondsUntil(knownSeconds, async () => {
    await areOffline(world, [leader]);
  });
  const { id } = await create(world, 'without-leader');
  const { node } = await requests.get<{ node: string }>(`/servers/${id}`);
  assert.notEqual(node, leader.name, 'it is placed on a member that is there');
  const created = await secondsUntil(createdSeconds, () => isStarted(world, id));
  await startDaemon(leader);
  const [truth, passedOn] = await Promise.all([
    secondsUntil(truthSeconds, () => truthIsBack(world)),
    passedOnAgain(world),
  ]);
  return {
    took: { 'known to be away': known, 'a create': created, truth, 'passed on to again': passedOn },
  };
}

export const leaderKilled: Scenario = {
  name: 'leader killed',
  did: 'the daemon of the leader of the cluster’s database killed by SIGKILL, and started again',
  run,
  mayShow: ['started/unavailable'],
};
