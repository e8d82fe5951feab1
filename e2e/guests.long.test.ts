import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  call,
  create,
  created,
  incusProject,
  incusSocket,
  operations,
  osId,
  primaryAddress,
  remove,
  status,
  until,
  untilIdle,
  view,
} from './api.ts';
import { incus } from './incus.ts';
import { ssh } from './ssh.ts';

const incusCommand = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

// Guests that do what they want, and what becomes of their servers.

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
  assert.match(operation?.message ?? '', /commands 2, 3 failed/);
  assert.deepEqual(
    operation?.commands?.map((command) => command.exit_status),
    [0, 7, 127, 0],
  );
  assert.equal(operation?.commands?.[1]?.output, 'bad\n');
  assert.equal(await ssh(primaryAddress(server), 'ls /root/last'), '/root/last');
  await remove(server.id);
});

test('a command that fills the disk is recorded, and those after it run', async () => {
  const server = await created({
    disk: 2,
    initialCommands: [
      'i=0; while fallocate -l 64M /root/fill$i; do i=$((i + 1)); done; cat /dev/zero >/root/rest',
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

test('a command may power the guest off: started again, it goes on with the next', async () => {
  const server = await created({ initialCommands: ['echo one', 'poweroff', 'echo three'] });
  const [operation] = await operations(server.id);
  assert.equal(operation?.status, 'succeeded', operation?.message);
  assert.equal(server.status, 'started');
  assert.equal(operation?.commands?.[2]?.output, 'three\n');
  await remove(server.id);
});

test('a password of 64 characters logs in', async () => {
  const password = 'x1'.repeat(32);
  const server = await created({ password });
  assert.equal(await ssh(primaryAddress(server), 'whoami', password), 'root');
  await remove(server.id);
});

test('what is done by hand in the engine is shown', async () => {
  const server = await created();
  const name = `srv-${server.uuid}`;
  const shown = (what: string, status: string) =>
    until(what, 5, async () => (await view(server.id)).status === status);
  await incusCommand('pause', name);
  await shown('it is paused', 'paused');
  await incusCommand('resume', name);
  await shown('it runs again', 'started');
  await incusCommand('stop', '--force', name);
  await shown('it is stopped', 'stopped');
  await incusCommand('rename', name, 'by-hand');
  await shown('it is missed', 'error');
  assert.match((await view(server.id)).error ?? '', /no longer exists/);
  await incusCommand('rename', 'by-hand', name);
  await shown('it is back', 'stopped');
  assert.equal((await view(server.id)).error, null);
  await incusCommand('delete', name);
  await shown('it is gone', 'error');
  assert.equal((await status(server.id)).real_status, 'not_exists');
  await remove(server.id);
});

test('a guest that powers itself off is shown as stopped within 2 s', async () => {
  const server = await created();
  await ssh(primaryAddress(server), 'nohup poweroff --force >/dev/null 2>&1 &');
  const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  await until('the engine has it stopped', 30, async () => {
    return (await incus.instances.get(`srv-${server.uuid}`))?.status === 'Stopped';
  });
  const stopped = performance.now();
  await until('the API has it stopped', 2, async () => {
    return (await view(server.id)).status === 'stopped';
  });
  console.log(
    `shown ${Math.round(performance.now() - stopped)} ms after the engine had it stopped`,
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

const ignoreShutdown =
  "printf '[Unit]\\nDefaultDependencies=no\\nBefore=shutdown.target\\nConflicts=shutdown.target\\n" +
  '[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=/bin/true\\nExecStop=/bin/sleep 600\\n' +
  "TimeoutStopSec=900\\n' > /etc/systemd/system/stay.service; systemctl daemon-reload; systemctl start stay";

test('a forced stop takes the place of a stop under way', async () => {
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

test('a forced stop takes the place of a start under way, whatever the engine shows meanwhile', async () => {
  const server = await created();
  for (let round = 0; round < 3; round += 1) {
    await call('POST', `/v1/servers/${server.id}/stop`, { force: true }, { prefer: 'wait=30' });
    await call('POST', `/v1/servers/${server.id}/start`);
    await new Promise((resolve) => setTimeout(resolve, 60 * round));
    await call('POST', `/v1/servers/${server.id}/stop`, { force: true });
    await untilIdle(server.id);
    assert.equal((await view(server.id)).status, 'stopped');
    // Long enough for a start that goes on unseen to be seen.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal((await view(server.id)).status, 'stopped');
    await call('POST', `/v1/servers/${server.id}/start`, undefined, { prefer: 'wait=30' });
  }
  await remove(server.id);
});

test('a delete does not wait for a guest that ignores its shutdown', async () => {
  const server = await created({ initialCommands: [ignoreShutdown] });
  await call('POST', `/v1/servers/${server.id}/stop`, {});
  await until('it is asked to shut down', 10, async () =>
    (await status(server.id)).status.includes('waiting for it to shut down'),
  );
  const asked = performance.now();
  await remove(server.id);
  const seconds = (performance.now() - asked) / 1000;
  assert.ok(seconds < 8, `it took ${seconds} s; the guest has 10 s to shut down`);
});

test('a create can be interrupted by a delete at any time', async () => {
  for (const delay of [0, 150, 400, 900, 2500]) {
    const server = await create({ initialCommands: ['sleep 60'] });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await remove(server.id);
  }
});

test('an operating system whose server is out of reach says so within 60 s', async () => {
  const asked = Date.now();
  const server = await create({ os_id: await osId('debian-13') });
  await untilIdle(server.id, 60);
  assert.ok(Date.now() - asked < 60_000);
  const failed = await view(server.id);
  assert.equal(failed.status, 'error');
  assert.match(failed.error ?? '', /images\.linuxcontainers\.org/);
  assert.equal((await status(server.id)).real_status, 'not_exists');
  await remove(server.id);
});
