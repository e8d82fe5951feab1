import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
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
import { ignoreShutdown } from './ignore-shutdown.ts';
import { incus } from './incus.ts';
import { ssh, untilSsh } from './ssh.ts';

// Tests suspended servers with real guests, and with an administrator who starts their instances.

const reason = 'The invoice of November is overdue.';
const incusCommand = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

async function act(id: number, action: string, body?: object) {
  const path = `/v1/servers/${id}/${action}`;
  const answer = await call<{ code?: string; detail?: string }>('POST', path, body, {
    prefer: 'wait=75',
  });
  await untilIdle(id);
  return answer;
}

async function instanceOf(uuid: string) {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  try {
    const instance = await client.instances.get(`srv-${uuid}`);
    return { status: instance?.status, autostart: instance?.config['boot.autostart'] };
  } finally {
    await client.close();
  }
}

const lastOf = async (id: number) => (await operations(id)).at(-1);

test('a suspended server is stopped, refuses to start, and runs again when it is unsuspended', async () => {
  const server = await created();
  const { id, uuid } = server;
  const address = primaryAddress(server);
  await ssh(address, 'echo kept > /root/kept; sync');
  assert.equal((await act(id, 'suspend', { reason })).status, 202);
  assert.equal((await lastOf(id))?.message, 'The server was suspended.');
  assert.deepEqual(await instanceOf(uuid), { status: 'Stopped', autostart: 'false' });
  const shown = await view(id);
  assert.deepEqual(
    [shown.status, shown.suspension?.reason, shown.allowed_actions],
    ['stopped', reason, ['delete']],
  );
  assert.ok((await status(id)).status.includes(reason));
  for (const action of ['start', 'restart', 'pause', 'unpause', 'retry']) {
    const { status: refused, body } = await act(id, action);
    assert.deepEqual([refused, body.code], [409, 'suspended'], action);
    assert.ok(body.detail?.includes(reason));
  }
  assert.equal((await act(id, 'unsuspend')).status, 202);
  assert.deepEqual(await instanceOf(uuid), { status: 'Running', autostart: undefined });
  const after = await view(id);
  assert.deepEqual([after.status, after.suspension], ['started', null]);
  await untilSsh(address);
  assert.equal(await ssh(address, 'cat /root/kept'), 'kept');
  await remove(id);
});

test('a suspended server that is started in Incus is stopped again', async () => {
  const { id, uuid } = await created();
  assert.equal((await act(id, 'stop')).status, 202);
  assert.equal((await act(id, 'suspend', { reason })).status, 202);
  await incusCommand('start', `srv-${uuid}`);
  await until(
    'it is stopped by a second operation',
    () => operations(id),
    (all) =>
      all.filter(({ kind, status: end }) => kind === 'suspend' && end === 'succeeded').length === 2,
  );
  assert.equal((await instanceOf(uuid)).status, 'Stopped');
  assert.equal((await view(id)).status, 'stopped');
  // It was stopped when it was suspended.
  assert.equal((await act(id, 'unsuspend')).status, 202);
  assert.deepEqual(await instanceOf(uuid), { status: 'Stopped', autostart: undefined });
  assert.equal((await act(id, 'start')).status, 202);
  assert.equal((await view(id)).status, 'started');
  await remove(id);
});

test('the power of a guest that ignores its shutdown, and of a paused one, is cut', async () => {
  const { id, uuid } = await created({ initialCommands: [ignoreShutdown] });
  for (const paused of [false, true]) {
    if (paused) assert.equal((await act(id, 'pause')).status, 202);
    assert.equal((await act(id, 'suspend', { reason })).status, 202);
    assert.match((await lastOf(id))?.message ?? '', /its power was cut\.$/);
    assert.equal((await instanceOf(uuid)).status, 'Stopped');
    assert.equal((await act(id, 'unsuspend')).status, 202);
    assert.equal((await instanceOf(uuid)).status, 'Running');
  }
  await remove(id);
});

test('a server that is unsuspended while it shuts down runs at the end', async () => {
  const server = await created();
  const { id, uuid } = server;
  await call('POST', `/v1/servers/${id}/suspend`, { reason });
  assert.equal((await act(id, 'unsuspend')).status, 202);
  assert.equal((await lastOf(id))?.message, 'The server was unsuspended and started.');
  await untilSsh(primaryAddress(server));
  assert.deepEqual(await instanceOf(uuid), { status: 'Running', autostart: undefined });
  assert.equal((await view(id)).status, 'started');
  await remove(id);
});
