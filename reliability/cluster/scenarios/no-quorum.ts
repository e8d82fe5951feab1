import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { plugIn, unplug } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import {
  create,
  isStarted,
  latestOperation,
  passedOnAgain,
  secondsUntil,
  truthIsBack,
  type World,
} from '../world.ts';

const reasonSeconds = 60;
const awayMs = 10_000;
const createdSeconds = 120;
const truthSeconds = 60;

async function run(world: World) {
  const [, ...cutOff] = world.machines;
  for (const machine of cutOff) unplug(machine);
  const { id } = await create(world, 'without-quorum');
  const reason = await secondsUntil(reasonSeconds, async () => {
    const { status, message } = await latestOperation(world, id);
    assert.match(message, /retrying because \S/);
    assert.ok(status === 'pending' || status === 'running', `it waits, and is not ${status}`);
  });
  await sleep(awayMs);
  const { status } = await latestOperation(world, id);
  assert.ok(status === 'pending' || status === 'running', `it waits, and is not ${status}`);
  for (const machine of cutOff) plugIn(machine);
  // Incus answers no requests until its database has a leader again.
  const passedOn = await passedOnAgain(world);
  const truth = await secondsUntil(truthSeconds, () => truthIsBack(world));
  const created = await secondsUntil(createdSeconds, () => isStarted(world, id));
  return {
    took: {
      'a create says why it waits': reason,
      'requests forwarded again': passedOn,
      truth,
      'the create continued': created,
    },
  };
}

export const noQuorum: Scenario = {
  name: 'no quorum',
  did: 'The networks of two members are disconnected and connected again.',
  run,
  mayShow: ['started/unavailable'],
};
