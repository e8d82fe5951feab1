import assert from 'node:assert/strict';
import type { Operation } from '@berth/contract/operations';
import { eventually } from '../../service/src/testing/until.ts';
import type { Machine } from './machine.ts';
import { create, latestOperation, type World } from './world.ts';

const clients = 2;
const endedSeconds = 240;

interface Accepted {
  operation_id: number;
}

/** Starts an evacuation or a restore of a node. Returns the operation. */
export async function begin(
  { requests }: World,
  action: 'evacuate' | 'restore',
  { name }: Machine,
): Promise<number> {
  const path = `/nodes/${name}/${action}`;
  const { status, body } = await requests.insist<Accepted>('POST', path);
  assert.equal(status, 202, JSON.stringify(body));
  return body.operation_id;
}

export async function succeeds({ requests }: World, id: number): Promise<void> {
  let operation: Operation | undefined;
  await eventually(async () => {
    operation = await requests.get<Operation>(`/operations/${id}`);
    assert.notEqual(operation.finished_at, null, operation.message);
  }, endedSeconds);
  assert.equal(operation?.status, 'succeeded', operation?.message);
}

/** Runs a function while clients create, stop, start and delete their own servers in a loop. */
export async function amidClients<T>(world: World, work: () => Promise<T>): Promise<T> {
  let going = true;
  const working = Array.from({ length: clients }, async (_, number) => {
    while (going) await live(world, `passing-${number}`);
  });
  // The error is thrown to the caller that waits for the clients.
  const all = Promise.all(working);
  all.catch(() => undefined);
  try {
    return await work();
  } finally {
    going = false;
    await all;
  }
}

async function live(world: World, name: string): Promise<void> {
  const { id } = await create(world, name);
  await ended(world, id);
  for (const action of ['stop', 'start'] as const) {
    const path = `/servers/${id}/${action}`;
    const { status, body } = await world.requests.insist<Accepted>('POST', path);
    // The server may be moving to another node at the moment.
    assert.ok(status === 202 || status === 409, JSON.stringify(body));
    if (status === 202) world.accepted.operations.add(body.operation_id);
    await ended(world, id);
  }
  const { status, body } = await world.requests.insist<Accepted>('DELETE', `/servers/${id}`);
  assert.equal(status, 202, JSON.stringify(body));
  world.accepted.operations.add(body.operation_id);
  await eventually(async () => {
    assert.equal((await world.requests.send('GET', `/servers/${id}`)).status, 404);
  }, endedSeconds);
}

async function ended(world: World, id: number): Promise<void> {
  await eventually(async () => {
    const { finished_at, message } = await latestOperation(world, id);
    assert.notEqual(finished_at, null, message);
  }, endedSeconds);
}
