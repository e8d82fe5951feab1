import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@berth/contract/servers';
import { guestsOf } from '../../../e2e/private-incus.ts';
import { plugIn, unplug } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import {
  areOffline,
  latestOperation,
  leaderOf,
  realStatus,
  returned,
  secondsUntil,
  serversByMember,
  type World,
} from '../world.ts';

const knownSeconds = 90;
/** Longer than the 20 s after which Incus itself reports that a member is offline. */
const awayMs = 25_000;
const restartedSeconds = 60;

/** Administrators and tenants see since when, and why, a server is unavailable. */
async function saysSince({ requests }: World, id: number, earliest: number): Promise<void> {
  const { unavailable } = await requests.get<Server>(`/servers/${id}`);
  assert.ok(unavailable?.reason);
  const since = Date.parse(unavailable.since);
  assert.ok(since >= earliest && since <= Date.now(), unavailable.since);
}

async function run(world: World) {
  const { client, machines, requests } = world;
  const leader = await leaderOf(world);
  // A member that is neither the leader, nor the one that this test uses.
  const cutOff = machines.slice(1).find((machine) => machine !== leader);
  assert.ok(cutOff);
  const byMember = await serversByMember(world, client);
  const theirs = byMember.get(cutOff.name) ?? [];
  const others = [...world.servers.keys()].filter((id) => !theirs.includes(id));
  const guests = guestsOf(cutOff.incusDir);
  const unpluggedAt = Date.now();
  unplug(cutOff);
  const known = await secondsUntil(knownSeconds, async () => {
    await areOffline(world, [cutOff]);
    for (const id of theirs) assert.equal(await realStatus(world, id), 'unavailable');
    for (const id of theirs) await saysSince(world, id, unpluggedAt);
  });
  const [other] = others;
  assert.ok(other);
  const { status, body } = await requests.insist('POST', `/servers/${other}/restart`);
  assert.equal(status, 202, JSON.stringify(body));
  world.accepted.operations.add((body as { operation_id: number }).operation_id);
  const restarted = await secondsUntil(restartedSeconds, async () => {
    const { status: ended, message } = await latestOperation(world, other);
    assert.equal(ended, 'succeeded', message);
  });
  await sleep(awayMs);
  for (const id of others) assert.equal(await realStatus(world, id), 'started');
  assert.deepEqual(guestsOf(cutOff.incusDir), guests, 'its guests continued to run');
  plugIn(cutOff);
  const back = await returned(world);
  return {
    took: {
      'shown as offline': known,
      'a restart elsewhere': restarted,
      ...back,
    },
  };
}

export const memberCutOff: Scenario = {
  name: 'member cut off',
  did: 'The network of a member is disconnected and connected again.',
  run,
  mayShow: ['started/unavailable', 'started/stopped'],
};
