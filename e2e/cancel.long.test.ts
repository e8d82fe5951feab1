import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BulkAnswer } from '@berth/contract/bulk-actions';
import type { Operation } from '@berth/contract/operations';
import type { Server } from '@berth/contract/servers';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  call,
  create,
  created,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  untilGone,
  untilIdle,
  view,
} from './api.ts';
import { ssh, untilSsh } from './ssh.ts';

// Tests in real guests that a cancelled operation has no effect, and actions on several servers.

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());

const cancel = (id: number) =>
  call<Operation & { code?: string }>('POST', `/v1/operations/${id}/cancel`);
const operation = async (id: number) => (await call<Operation>('GET', `/v1/operations/${id}`)).body;

/** Cancels an operation. Returns whether it came in time. Otherwise the operation must continue. */
async function isCancelled(id: number): Promise<boolean> {
  const { status, body } = await cancel(id);
  if (status === 200) {
    assert.deepEqual([body.status, body.cancellable], ['cancelled', false]);
    return true;
  }
  assert.equal(status, 409);
  assert.ok(body.code === 'not_cancellable' || body.code === 'operation_ended', body.code);
  return false;
}

test('a create that is cancelled leaves nothing, and one that is not continues', async () => {
  const wishes = Array.from({ length: 4 }, () => create({ initialCommands: ['echo > /root/ran'] }));
  const servers = await Promise.all(wishes);
  const outcomes = await Promise.all(
    servers.map(async (server) => {
      const [first] = await operations(server.id);
      assert.ok(first);
      return { server, id: first.id, isOver: await isCancelled(first.id) };
    }),
  );
  for (const { server, id, isOver } of outcomes) {
    if (isOver) {
      await untilGone(server.id);
      assert.equal(await client.instances.get(`srv-${server.uuid}`), null);
      assert.equal((await operation(id)).status, 'cancelled');
      continue;
    }
    await untilIdle(server.id);
    const now = await view(server.id);
    assert.equal(now.status, 'started');
    await untilSsh(primaryAddress(now));
    await ssh(primaryAddress(now), 'test -e /root/ran');
    await remove(server.id);
  }
});

test('a resize that is cancelled leaves the server its size, and one that is not is carried out', async () => {
  const server = await created({ cpu: 1, ram: 512 });
  await untilSsh(primaryAddress(server));
  const asked = await call<{ operation: { id: number } }>(
    'POST',
    `/v1/servers/${server.id}/resize`,
    { ram: 768 },
  );
  const { id } = asked.body.operation;
  const isOver = await isCancelled(id);
  await untilIdle(server.id);
  assert.equal((await operation(id)).status, isOver ? 'cancelled' : 'succeeded');
  const ram = isOver ? 512 : 768;
  assert.equal((await view(server.id)).specifications.ram, ram);
  const total = await ssh(primaryAddress(server), "awk '/MemTotal/ {print $2}' /proc/meminfo");
  assert.equal(Number(total), ram * 1024);
  await remove(server.id);
});

test('an action reaches all servers with a label, and no others', async () => {
  const several: Server[] = await Promise.all([
    created({ name: 'several-1' }),
    created({ name: 'several-2' }),
    created({ name: 'several-3' }),
  ]);
  const [one, two, other] = several.map(({ id }) => id);
  assert.ok(one && two && other);
  for (const id of [one, two]) {
    await call('PATCH', `/v1/servers/${id}`, { labels: { e2e: 'several' } });
  }
  const act = async (action: string, which: object) =>
    (await call<BulkAnswer>('POST', '/v1/servers/actions', { action, ...which })).body;
  const selected = { label_selector: 'e2e=several' };
  const dryRun = await act('stop', { ...selected, dry_run: true });
  assert.deepEqual(
    dryRun.results.map(({ server_id, accepted }) => [server_id, accepted]),
    [
      [one, true],
      [two, true],
    ],
  );
  assert.equal((await act('stop', selected)).accepted, 2);
  for (const id of [one, two]) await untilIdle(id);
  const statuses = async () =>
    await Promise.all([one, two, other].map(async (id) => (await view(id)).status));
  assert.deepEqual(await statuses(), ['stopped', 'stopped', 'started']);
  const listed = await call<Operation[]>(
    'GET',
    '/v1/operations?kind=stop&label_selector=e2e%3Dseveral',
  );
  assert.deepEqual(
    listed.body.map(({ server_id, status }) => [server_id, status]),
    [
      [one, 'succeeded'],
      [two, 'succeeded'],
    ],
  );
  const started = await act('start', { ids: [one, other, two] });
  assert.deepEqual(
    started.results.map(({ accepted }) => accepted),
    [true, false, true],
  );
  for (const id of [one, two]) await untilIdle(id);
  assert.deepEqual(await statuses(), ['started', 'started', 'started']);
  for (const { id } of several) await untilSsh(primaryAddress(await view(id)));
  assert.equal((await act('delete', selected)).accepted, 2);
  for (const id of [one, two]) await untilGone(id);
  await remove(other);
});
