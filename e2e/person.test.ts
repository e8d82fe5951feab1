import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import type { Server } from '@berth/contract/servers';
import { eventually } from '../service/src/testing/until.ts';
import {
  call,
  create,
  operations,
  primaryAddress,
  remove,
  status,
  untilGone,
  untilIdle,
  view,
} from './api.ts';
import { reached } from './reach.ts';
import { ssh, untilSsh } from './ssh.ts';

// Tests the main task of a user: one server from its creation to its deletion.

let server: Server;

before(async () => {
  server = await create({
    name: 'web-1.example.org',
    cpu: 1,
    ram: 768,
    disk: 3,
    initialCommands: [
      'echo first > /root/order; sleep 1',
      ['sh', '-c', 'echo "$1" >> /root/order', 'argv', 'two words'],
      'echo "third $(whoami) $(pwd)" >> /root/order; mkdir /srv/site; echo hello > /srv/site/index',
    ],
  });
});

after(async () => {
  if ((await call('GET', `/v1/servers/${server.id}`)).status === 200) await remove(server.id);
});

test('the answer to a create shows the server with its addresses', () => {
  assert.equal(server.status, 'creating');
  assert.equal(server.hostname, 'web-1.example.org');
  assert.match(server.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.equal(server.ip_addresses.length, 2);
  assert.equal(server.ip_addresses.filter((address) => address.is_primary).length, 1);
});

test('its progress is accurate, and ends in a running server', async () => {
  const seen = await untilIdle(server.id);
  const progress = seen.map((s) => s.progress);
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
    'progress fell',
  );
  assert.ok(new Set(progress).size > 3, `progress was shown only as ${progress}`);
  assert.ok(
    seen.some((s) => /running command [1-3] of 3/.test(s.status)),
    'no command was shown',
  );
  const last = await status(server.id);
  assert.deepEqual(last, {
    status: 'The server is running.',
    real_status: 'started',
    is_processing: false,
    progress: 100,
  });
  server = await view(server.id);
  assert.equal(server.status, 'started');
  assert.ok(server.allowed_actions.includes('restart'));
});

// These tests do not change what the others check.
describe('the running server', { concurrency: true }, () => {
  it('root logs in over SSH with the chosen password, by IPv4 and IPv6', async () => {
    for (const { ip } of server.ip_addresses) assert.equal(await ssh(ip, 'whoami'), 'root');
  });

  it('the host name, cores, memory and disk are as requested', async () => {
    const address = primaryAddress(server);
    assert.equal(await ssh(address, 'hostname'), 'web-1');
    assert.equal(await ssh(address, 'hostname -f'), 'web-1.example.org');
    assert.equal(await ssh(address, 'nproc'), '1');
    assert.equal(
      await ssh(address, "awk '/MemTotal/ {print $2}' /proc/meminfo"),
      String(768 * 1024),
    );
    assert.equal(await ssh(address, "awk '/SwapTotal/ {print $2}' /proc/meminfo"), '0');
    // btrfs accounts data when it is written to the disk, and sometimes a moment later.
    const over =
      'fallocate -l 1000M /root/over || { echo refused; break; }; rm /root/over; sleep 1';
    const fill = `fallocate -l 2200M /root/fits && echo fits; for i in 1 2 3 4 5; do sync; ${over}; done`;
    assert.equal(await ssh(address, `${fill}; rm -f /root/fits /root/over`), 'fits\nrefused');
  });

  it('the initial commands ran once, in order, as root', async () => {
    const order = await ssh(primaryAddress(server), 'cat /root/order');
    assert.equal(order, 'first\ntwo words\nthird root /root');
    const [operation] = await operations(server.id);
    assert.deepEqual(
      operation?.commands?.map((command) => command.exit_status),
      [0, 0, 0],
    );
  });

  it('others can read what the commands wrote, as with any files of root', async () => {
    const modes = await ssh(primaryAddress(server), 'stat -c %a /srv/site /srv/site/index');
    assert.equal(modes, '755\n644');
    const asNobody = 'runuser -u nobody -- cat /srv/site/index';
    assert.equal(await ssh(primaryAddress(server), asNobody), 'hello');
  });

  it('the guest reaches its gateway in both families', async () => {
    const address = primaryAddress(server);
    const gateways = await ssh(
      address,
      "ip route show default | awk '{print $3}'; ip -6 route show default | awk '{print $3}'",
    );
    // Only its name server is open to every server.
    const places = gateways.split('\n').map((gateway) => `${gateway} 53`);
    assert.equal(places.length, 2);
    await eventually(async () => assert.deepEqual(await reached(address, places), places));
  });
});

test('it stops, starts and restarts, and its status is correct', async () => {
  await act('stop', 'stopped');
  await act('start', 'started');
  const before = await bootId();
  await act('restart', 'started');
  assert.notEqual(await bootId(), before, 'it was not restarted');
  assert.equal(
    await ssh(primaryAddress(server), 'cat /root/order | wc -l'),
    '3',
    'commands ran again',
  );
});

async function bootId(): Promise<string> {
  return await ssh(primaryAddress(server), "stat -c %Z /proc/1; awk '{print $22}' /proc/1/stat");
}

async function act(action: 'start' | 'stop' | 'restart', wanted: string): Promise<void> {
  const accepted = await call<{ message: string; operation_id: number }>(
    'POST',
    `/v1/servers/${server.id}/${action}`,
    undefined,
    { prefer: 'wait=60' },
  );
  assert.equal(accepted.status, 202);
  await untilIdle(server.id);
  assert.equal((await status(server.id)).real_status, wanted);
  assert.equal((await view(server.id)).status, wanted);
  if (wanted === 'started') await untilSsh(primaryAddress(server));
}

test('after a delete it is gone', async () => {
  const accepted = await call<{ operation_id: number }>(
    'DELETE',
    `/v1/servers/${server.id}`,
    undefined,
    {
      prefer: 'wait=60',
    },
  );
  assert.equal(accepted.status, 202);
  await untilGone(server.id);
  const kinds = (await operations(server.id)).map((operation) => operation.kind);
  assert.deepEqual(kinds, ['create', 'stop', 'start', 'restart', 'delete']);
});
