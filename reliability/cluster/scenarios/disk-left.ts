import assert from 'node:assert/strict';
import type { Operation } from '@berth/contract/operations';
import { eventually, until } from '../../../service/src/testing/until.ts';
import { killDaemon, type Machine, startDaemon } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import {
  create,
  isStarted,
  latestOperation,
  returned,
  secondsUntil,
  type World,
} from '../world.ts';

const createdSeconds = 120;
const movedSeconds = 300;
const deletedSeconds = 180;
/** A copy may be complete before its member is killed: then the move has succeeded. */
const maxAttempts = 5;

interface Accepted {
  operation_id: number;
}

interface Left {
  id: number;
  instance: string;
}

async function run(world: World) {
  let back: Record<string, number> = {};
  for (let attempt = 1; ; attempt += 1) {
    const { id, instance } = await create(world, `left-${attempt}`);
    await secondsUntil(createdSeconds, () => isStarted(world, id));
    const isLeft = await moveInPart(world, { id, instance });
    back = await returned(world);
    const deleted = await remove(world, { id, instance }, isLeft);
    if (isLeft) return { took: { deleted, ...back } };
    assert.ok(attempt < maxAttempts, 'a move leaves a disk behind');
  }
}

/**
 * Moves the server to a member that is killed meanwhile. Returns whether a disk of it is left
 * there.
 */
async function moveInPart(world: World, { id, instance }: Left): Promise<boolean> {
  const { client, machines, requests, accepted } = world;
  const { node } = await requests.get<{ node: string }>(`/servers/${id}`);
  // The first machine sends the requests to Incus.
  const target = machines.slice(1).find(({ name }) => name !== node);
  assert.ok(target);
  const path = `/servers/${id}/move`;
  const { status, body } = await requests.insist<Accepted>('POST', path, { node: target.name });
  assert.equal(status, 202, JSON.stringify(body));
  accepted.operations.add(body.operation_id);
  await until('its disk exists on the target', () => diskOn(world, target, instance), Boolean);
  await killDaemon(target);
  await startDaemon(target);
  await eventually(async () => {
    const { finished_at, message } = await latestOperation(world, id);
    assert.notEqual(finished_at, null, message);
  }, movedSeconds);
  const { location } = (await client.instances.get(instance)) ?? {};
  return location !== target.name && (await diskOn(world, target, instance)) !== null;
}

const diskOn = ({ client, pool }: World, { name: member }: Machine, name: string) =>
  client.storage.getVolume(pool, { type: 'container', name }, member);

/** Returns after how many seconds the server and all its disks were gone. */
async function remove(world: World, { id, instance }: Left, isLeft: boolean): Promise<number> {
  const { requests, accepted, machines } = world;
  const { status, body } = await requests.insist<Accepted>('DELETE', `/servers/${id}`);
  assert.equal(status, 202, JSON.stringify(body));
  accepted.operations.add(body.operation_id);
  const path = `/operations/${body.operation_id}`;
  const seconds = await secondsUntil(deletedSeconds, async () => {
    const operation = await requests.get<Operation>(path);
    assert.equal(operation.status, 'succeeded', operation.message);
    assert.equal(operation.message.includes('So was the volume'), isLeft, operation.message);
  });
  for (const machine of machines) assert.equal(await diskOn(world, machine, instance), null);
  return seconds;
}

export const diskLeft: Scenario = {
  name: 'disk left',
  did: 'The target member of a move is killed with SIGKILL during the copy, and the server is deleted.',
  run,
  mayShow: ['started/unavailable'],
};
