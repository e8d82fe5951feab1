import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '@berth/contract/operations';
import type { Server } from '@berth/contract/servers';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  created,
  incusPool,
  operations,
  password,
  primaryAddress,
  remove,
  status,
  untilIdle,
  view,
} from './api.ts';
import { countedGroups, onIncus, poolMount } from './full-guests.ts';
import { ssh } from './ssh.ts';

// Tests that a rebuilt server has a new system at its old addresses, and nothing of the old one.

const mount = await poolMount();
const newPassword = 'Another-Horse-9';
const hostKey = 'cat /etc/ssh/ssh_host_ed25519_key.pub';

interface Answer {
  code?: string;
  operation_id: number;
  errors?: { pointer: string }[];
}

const rebuild = ({ id }: Server, more: object = {}) =>
  call<Answer>('POST', `/v1/servers/${id}/rebuild`, {
    ...{ erase: true, password: newPassword, initialCommands: [], ...more },
  });

/** Rebuilds a server, and waits until it is set up. */
async function rebuilt(server: Server, more: object = {}): Promise<Operation> {
  const { status: answered, body } = await rebuild(server, more);
  assert.equal(answered, 202, JSON.stringify(body));
  await untilIdle(server.id);
  const last = (await operations(server.id)).find(({ id }) => id === body.operation_id);
  assert.equal(last?.status, 'succeeded', last?.message);
  return last;
}

test('a running server is rebuilt with its addresses and its size, and without its data', async () => {
  const server = await created({ cpu: 1, ram: 512, disk: 3 });
  const address = primaryAddress(server);
  const firstKey = await ssh(address, `touch /root/mine; ${hostKey}`);

  const refused = await rebuild(server, { erase: false });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [422, '/erase']);
  const { message, commands } = await rebuilt(server, {
    initialCommands: ['echo again; touch /root/again', 'exit 7'],
  });
  assert.match(message, /^The server was rebuilt, but its initial command with the index 1 failed/);
  assert.deepEqual(
    commands?.map(({ output, exit_status }) => [output, exit_status]),
    [
      ['again\n', 0],
      ['', 7],
    ],
  );
  const now = await view(server.id);
  assert.equal(now.status, 'started');
  for (const what of ['uuid', 'hostname', 'ip_addresses', 'specifications', 'created_at'] as const)
    assert.deepEqual(now[what], server[what], what);
  assert.deepEqual(now.initial_commands, { total: 2, failed: 1 });

  assert.equal(await ssh(address, 'ls /root', newPassword), 'again');
  assert.equal(await ssh(address, 'hostname -f', newPassword), server.hostname);
  assert.notEqual(await ssh(address, hostKey, newPassword), firstKey);
  await assert.rejects(ssh(address, 'true', password), /Permission denied/);
  const group = [...(await countedGroups(mount)).values()].find(({ path }) =>
    path.endsWith(`srv-${server.uuid}`),
  );
  assert.equal(group?.limit, 3 * 2 ** 30);
  await remove(server.id);
});

test('a rebuild can be repeated, interrupted by a delete, and leaves nothing', async () => {
  const server = await created();
  const address = primaryAddress(server);
  for (const round of [1, 2, 3]) {
    await rebuilt(server, { initialCommands: [`echo ${round} > /root/round`] });
    assert.equal(await ssh(address, 'cat /root/round', newPassword), String(round));
  }
  await rebuild(server);
  await until(
    'it has begun to erase',
    () => status(server.id),
    (now) => !/waiting for its turn|getting the operating system/.test(now.status),
  );
  await remove(server.id);
});

/** Makes an image for Debian 13: that of Debian 12 with another file. */
async function plantOtherImage(path: string): Promise<void> {
  await onIncus('create', 'berth-debian-12', 'other-image', '--storage', incusPool());
  await onIncus('file', 'push', '-', `other-image${path}`);
  await onIncus('publish', 'other-image', '--alias', 'berth-debian-13', '--compression', 'none');
  await onIncus('delete', 'other-image');
}

test('a server gets another operating system, and the first one again', async () => {
  const server = await created();
  const address = primaryAddress(server);
  const own = '/etc/other-system';
  await plantOtherImage(own);
  try {
    await rebuilt(server, { os_id: 'debian-13' });
    assert.equal((await view(server.id)).os, 'Debian 13');
    assert.equal(await ssh(address, `ls ${own}`, newPassword), own);
    await rebuilt(server, { os_id: 'debian-12' });
    assert.equal((await view(server.id)).os, 'Debian 12');
    await assert.rejects(ssh(address, `ls ${own}`, newPassword), /No such file/);
  } finally {
    await onIncus('image', 'delete', 'berth-debian-13');
  }
  await remove(server.id);
});

test('a server whose instance was renamed or removed by hand is rebuilt', async () => {
  const server = await created();
  const name = `srv-${server.uuid}`;
  const missing = () =>
    until(
      'it is reported as missing',
      () => view(server.id),
      ({ status }) => status === 'error',
    );
  await onIncus('stop', '--force', name);
  await onIncus('rename', name, 'by-hand');
  await missing();
  await rebuilt(server);
  assert.equal(await ssh(primaryAddress(server), 'whoami', newPassword), 'root');
  await assert.rejects(onIncus('info', 'by-hand'));
  await onIncus('delete', '--force', name);
  await missing();
  await rebuilt(server);
  assert.equal(await ssh(primaryAddress(server), 'whoami', newPassword), 'root');
  await remove(server.id);
});

test('a stopped server with a full disk is rebuilt, and runs afterwards', async () => {
  const server = await created({ disk: 2 });
  const address = primaryAddress(server);
  await ssh(address, 'head -c 3G /dev/urandom > /root/fill; sync; true');
  await call('POST', `/v1/servers/${server.id}/stop`, { force: true }, { prefer: 'wait=60' });
  await rebuilt(server);
  assert.equal((await view(server.id)).status, 'started');
  assert.equal(await ssh(address, 'ls /root', newPassword), '');
  await remove(server.id);
});
