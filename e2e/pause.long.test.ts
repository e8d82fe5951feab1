import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  call,
  created,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  status,
  untilIdle,
  view,
} from './api.ts';
import { ssh } from './ssh.ts';

// Tests that a paused guest stands still, and continues where it was.

const pausedMs = 3000;
/** Writes the time in milliseconds, several times a second. */
const clock =
  "nohup sh -c 'while :; do date +%s%3N >> /root/ticks; sleep 0.1; done' >/dev/null 2>&1 &";

async function act(id: number, action: string, body?: object) {
  const path = `/v1/servers/${id}/${action}`;
  const answer = await call<{ code?: string; detail?: string }>('POST', path, body, {
    prefer: 'wait=60',
  });
  await untilIdle(id);
  return answer;
}

async function instanceStatus(uuid: string): Promise<string | undefined> {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  try {
    return (await client.instances.get(`srv-${uuid}`))?.status;
  } finally {
    await client.close();
  }
}

/** The longest time without a tick, in milliseconds. */
function longestGap(ticks: string): number {
  const times = ticks.trim().split('\n').map(Number);
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

test('a paused guest stands still, and continues with its memory', async () => {
  const server = await created();
  const { id, uuid } = server;
  const address = primaryAddress(server);
  const began = "cut -d' ' -f22 /proc/1/stat";
  const startOfInit = await ssh(address, began);
  await ssh(address, clock);

  assert.equal((await act(id, 'pause')).status, 202);
  assert.equal(await instanceStatus(uuid), 'Frozen');
  const { status: shown, allowed_actions } = await view(id);
  assert.deepEqual([shown, allowed_actions], ['paused', ['stop', 'unpause', 'rebuild', 'delete']]);
  assert.equal((await status(id)).real_status, 'paused');
  assert.equal((await status(id)).status, 'The server is paused.');
  for (const action of ['pause', 'restart', 'stop', 'start']) {
    const refused = await act(id, action);
    assert.equal(refused.status, 409, `${action}: ${JSON.stringify(refused.body)}`);
  }
  await sleep(pausedMs);

  assert.equal((await act(id, 'unpause')).status, 202);
  assert.equal(await instanceStatus(uuid), 'Running');
  assert.equal((await view(id)).status, 'started');
  assert.ok(longestGap(await ssh(address, 'sleep 0.5; cat /root/ticks')) >= pausedMs);
  assert.equal(await ssh(address, began), startOfInit, 'it was not started anew');
  const kinds = (await operations(id)).map(({ kind, status: end }) => [kind, end]);
  assert.deepEqual(kinds.slice(1), [
    ['pause', 'succeeded'],
    ['unpause', 'succeeded'],
  ]);
  await remove(id);
});

test('a paused server can be stopped by force, started again, and deleted while it is paused', async () => {
  const { id, uuid } = await created();
  assert.equal((await act(id, 'pause')).status, 202);
  assert.equal((await act(id, 'stop', { force: true })).status, 202);
  assert.equal((await view(id)).status, 'stopped');
  const refused = await act(id, 'unpause');
  assert.deepEqual([refused.status, refused.body.code], [409, 'server_not_paused']);
  assert.equal((await act(id, 'pause')).body.code, 'server_not_running');
  assert.equal((await act(id, 'start')).status, 202);
  assert.equal((await act(id, 'pause')).status, 202);
  assert.equal(await instanceStatus(uuid), 'Frozen');
  await remove(id);
  assert.equal(await instanceStatus(uuid), undefined);
});
