import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  create,
  created,
  directory,
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
import { withSettings } from './service.ts';
import { ssh, sshLast } from './ssh.ts';

const incusCommand = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

// Tests guests that change their own state, and the effect on their servers.

test('a failing command is recorded, the rest still run, and the server is started', async () => {
  const server = await created({
    initialCommands: [
      'echo good',
      'echo bad >&2; exit 7',
      ['/no/such/program'],
      'touch /root/last /var/lib/berth/mine',
    ],
  });
  const [operation] = await operations(server.id);
  assert.equal(server.status, 'started');
  assert.equal(operation?.status, 'succeeded');
  assert.match(operation?.message ?? '', /commands with the indexes 1, 2 failed/);
  assert.deepEqual(
    operation?.commands?.map((command) => command.exit_status),
    [0, 7, 127, 0],
  );
  assert.equal(operation?.commands?.[1]?.output, 'bad\n');
  assert.equal(await ssh(primaryAddress(server), 'ls /root/last'), '/root/last');
  await remove(server.id);
});

test('a command that fills the disk is recorded, and those after it run', async () => {
  const disk = 2;
  // Twice the size of the disk, so that it does not fill the pool if nothing limits the disk.
  const fill = `for i in $(seq ${disk * 32}); do fallocate -l 64M /root/fill$i || break; done`;
  const server = await created({
    disk,
    initialCommands: [
      `${fill}; head -c ${disk}G /dev/zero >/root/rest`,
      'echo after',
      'rm /root/fill* /root/rest; echo freed',
    ],
  });
  const [operation] = await operations(server.id);
  assert.equal(server.status, 'started');
  assert.deepEqual(
    operation?.commands?.map(({ exit_status }) => exit_status),
    [1, 0, 0],
  );
  assert.equal(operation?.commands?.[1]?.output, 'after\n');
  await remove(server.id);
});

test('a command may power off the guest: after a start, the next one runs', async () => {
  const server = await created({
    initialCommands: ['echo one', 'poweroff', 'echo three', 'poweroff'],
  });
  const [operation] = await operations(server.id);
  assert.equal(operation?.status, 'succeeded', operation?.message);
  assert.equal(server.status, 'started');
  assert.equal(operation?.commands?.[2]?.output, 'three\n');
  assert.deepEqual(
    operation?.commands?.map(({ exit_status }) => exit_status),
    [0, 0, 0, 0],
  );
  await remove(server.id);
});

test('a password of 64 characters logs in', async () => {
  const password = 'x1'.repeat(32);
  const server = await created({ password });
  assert.equal(await ssh(primaryAddress(server), 'whoami', password), 'root');
  await remove(server.id);
});

test('changes by hand in the engine are shown', async () => {
  const server = await created();
  const name = `srv-${server.uuid}`;
  const shown = (what: string, status: string) =>
    until(
      what,
      () => view(server.id),
      (now) => now.status === status,
    );
  await incusCommand('pause', name);
  await shown('it is paused', 'paused');
  await incusCommand('resume', name);
  await shown('it runs again', 'started');
  await incusCommand('stop', '--force', name);
  await shown('it is stopped', 'stopped');
  await incusCommand('rename', name, 'by-hand');
  await shown('it is reported as missing', 'error');
  assert.match((await view(server.id)).error ?? '', /no longer exists/);
  await incusCommand('rename', 'by-hand', name);
  await shown('it is back', 'stopped');
  assert.equal((await view(server.id)).error, null);
  await incusCommand('delete', name);
  await shown('it is gone', 'error');
  assert.equal((await status(server.id)).real_status, 'not_exists');
  await remove(server.id);
});

test('a guest that powers itself off is shown as stopped', async () => {
  const server = await created();
  await sshLast(primaryAddress(server), 'nohup poweroff --force >/dev/null 2>&1 &');
  const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  await until(
    'the engine shows it as stopped',
    () => incus.instances.get(`srv-${server.uuid}`),
    (instance) => instance?.status === 'Stopped',
  );
  const stopped = performance.now();
  await until(
    'the API shows it as stopped',
    () => view(server.id),
    (now) => now.status === 'stopped',
  );
  console.log(
    `shown ${Math.round(performance.now() - stopped)} ms after the engine showed it as stopped`,
  );
  await incus.close();
  await remove(server.id);
});

test('a guest that ignores shutdown is left running, and force stops it', async () => {
  const server = await created({ initialCommands: [ignoreShutdown] });
  await call('POST', `/v1/servers/${server.id}/stop`, {});
  await untilIdle(server.id);
  const refused = (await operations(server.id)).at(-1);
  assert.equal(refused?.status, 'failed');
  assert.equal(refused?.error?.code, 'guest_ignored_shutdown');
  assert.match(refused?.error?.message ?? '', /force=true/);
  assert.equal((await view(server.id)).status, 'started');
  await call('POST', `/v1/servers/${server.id}/stop`, { force: true });
  await untilIdle(server.id);
  assert.equal((await view(server.id)).status, 'stopped');
  await remove(server.id);
});

test('a forced stop supersedes a stop in progress', async () => {
  // The stop does not fail before the other requests arrive, even on a busy machine.
  await withSettings(directory(), { BERTH_STOP_TIMEOUT: '900' }, async () => {
    const server = await created({ initialCommands: [ignoreShutdown] });
    const graceful = await call<{ operation_id: number }>(
      'POST',
      `/v1/servers/${server.id}/stop`,
      {},
    );
    const busy = await call<{ code: string }>('POST', `/v1/servers/${server.id}/start`, {});
    assert.equal(busy.status, 409);
    assert.equal(busy.body.code, 'operation_in_progress');
    assert.ok(Number(busy.headers.get('retry-after')) > 0);
    await call('POST', `/v1/servers/${server.id}/stop`, { force: true });
    await untilIdle(server.id);
    const done = await operations(server.id);
    assert.equal(done.find((o) => o.id === graceful.body.operation_id)?.status, 'superseded');
    assert.equal((await view(server.id)).status, 'stopped');
    await remove(server.id);
  });
});

test('a forced stop supersedes a start in progress, whatever the engine shows meanwhile', async () => {
  const server = await created();
  for (let round = 0; round < 3; round += 1) {
    await call('POST', `/v1/servers/${server.id}/stop`, { force: true }, { prefer: 'wait=30' });
    await untilIdle(server.id);
    await call('POST', `/v1/servers/${server.id}/start`);
    await new Promise((resolve) => setTimeout(resolve, 60 * round));
    await call('POST', `/v1/servers/${server.id}/stop`, { force: true });
    await untilIdle(server.id);
    assert.equal((await view(server.id)).status, 'stopped');
    // Long enough to detect a start that continues.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal((await view(server.id)).status, 'stopped');
    await call('POST', `/v1/servers/${server.id}/start`, undefined, { prefer: 'wait=30' });
    await untilIdle(server.id);
  }
  await remove(server.id);
});

test('a delete does not wait for a guest that ignores its shutdown', async () => {
  // The timeout of the guest is longer than a delete may take here.
  await withSettings(directory(), { BERTH_STOP_TIMEOUT: '900' }, async () => {
    const server = await created({ initialCommands: [ignoreShutdown] });
    const { body } = await call<{ operation_id: number }>(
      'POST',
      `/v1/servers/${server.id}/stop`,
      {},
    );
    await until(
      'it is asked to shut down',
      () => status(server.id),
      (now) => now.status.includes('waiting for it to shut down'),
    );
    await remove(server.id);
    const stop = (await operations(server.id)).find(({ id }) => id === body.operation_id);
    assert.equal(stop?.status, 'superseded');
  });
});

test('a delete can interrupt a create at any time', async () => {
  for (const delay of [0, 150, 400, 900, 2500]) {
    const server = await create({ initialCommands: ['sleep 60'] });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await remove(server.id);
  }
});

test('an operating system whose image server never answers fails with that reason', async () => {
  // It accepts connections, and never answers. Incus does not time out, so this must not keep the process alive.
  const silent = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .unref(),
  );
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const imageServer = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  try {
    await withSettings(directory(), { BERTH_IMAGE_SERVERS: imageServer }, async () => {
      const os = await call<{ id: number }>('POST', '/v1/operating-systems', {
        ...{ slug: 'silent', name: 'Silent', version: '1', type: 'container' },
        source: { server: imageServer, alias: 'silent/1/cloud' },
        minimum: { ram: 256, disk: 2 },
      });
      assert.equal(os.status, 201, JSON.stringify(os.body));
      const server = await create({ os_id: os.body.id });
      await untilIdle(server.id);
      const failed = await view(server.id);
      assert.equal(failed.status, 'error');
      assert.ok(failed.error?.includes(new URL(imageServer).host), String(failed.error));
      assert.equal((await status(server.id)).real_status, 'not_exists');
      await remove(server.id);
      await call('PATCH', `/v1/operating-systems/${os.body.id}`, { enabled: false });
    });
  } finally {
    silent.close();
  }
});
