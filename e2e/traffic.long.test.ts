import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { until } from '../service/src/testing/until.ts';
import { call, created, primaryAddress, remove, view } from './api.ts';
import { allow } from './reach.ts';
import { ssh, sshSend, untilSsh } from './ssh.ts';

const megabyte = 1_000_000;
/** The counted bytes of a new server, in both months, since the month may end meanwhile. */
const counted = ({ value, prev }: { value: number; prev: number }) => value + prev;

test('traffic is counted in both directions, and across a restart of the guest', async () => {
  const server = await created();
  const address = primaryAddress(server);
  const traffic = async () => {
    const { incoming, outgoing } = (await view(server.id)).usage.traffic;
    return { incoming: counted(incoming), outgoing: counted(outgoing) };
  };

  await sshSend(address, 'cat > /dev/null', Buffer.alloc(30 * megabyte, 'in'));
  await ssh(address, `head -c ${10 * megabyte} /dev/zero`);
  const first = await until(
    '30 MB are counted as incoming, and 10 as outgoing',
    traffic,
    ({ incoming, outgoing }) => incoming >= 30 * megabyte && outgoing >= 10 * megabyte,
  );
  assert.ok(first.incoming < 32 * megabyte, `incoming: ${first.incoming}`);
  assert.ok(first.outgoing < 12 * megabyte, `outgoing: ${first.outgoing}`);
  assert.equal((await view(server.id)).usage.traffic.incoming.is_exceeded, false);

  await call('POST', `/v1/servers/${server.id}/restart`, undefined, { prefer: 'wait=60' });
  await untilSsh(address);
  await sshSend(address, 'cat > /dev/null', Buffer.alloc(20 * megabyte, 'in'));
  const second = await until(
    '50 MB are counted in all',
    traffic,
    ({ incoming }) => incoming >= 50 * megabyte,
  );
  assert.ok(second.incoming < 53 * megabyte, `incoming: ${second.incoming}`);

  const { usage } = await view(server.id);
  assert.ok(usage.ram > 5 && usage.ram < 512, `ram: ${usage.ram}`);
  assert.ok(usage.cpu >= 0 && usage.cpu <= 100, `cpu: ${usage.cpu}`);
  await remove(server.id);
});

test('a guest that moves its NIC to another namespace is still counted', async (t) => {
  const server = await created();
  const address = primaryAddress(server);
  let received = 0;
  const listener = createServer((socket) => {
    socket.on('data', (data) => {
      received += data.length;
    });
    // The guest is gone before it has closed the connection.
    socket.on('error', () => undefined).unref();
  }).listen(0, '0.0.0.0');
  t.after(() => listener.close());
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address() as { port: number };
  // Servers cannot reach the host unless that is allowed.
  const route = await ssh(address, 'ip -4 route show default');
  const gateway = /via (\S+)/.exec(route)?.[1];
  t.after(() => allow({ allowed_destinations: [] }));
  await allow({ allowed_destinations: [`${gateway}/32`] });
  // The gateway is the host. The namespace has the NIC, its address and the traffic. The guest
  // itself, and everything that Incus can see in it, no longer has any of them.
  const script = `
    own=$(ip -4 -o address show dev eth0 | sed 's/.*inet \\([0-9./]*\\).*/\\1/')
    unshare --net sleep 600 &
    hidden=$!
    until [ "$(readlink /proc/$hidden/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
    ip link set eth0 netns $hidden
    inside="nsenter --target $hidden --net"
    $inside ip link set eth0 name wan0
    $inside ip address add "$own" dev wan0
    $inside ip link set wan0 up
    $inside ip route add ${gateway} dev wan0
    $inside bash -c "head -c ${20 * megabyte} /dev/zero > /dev/tcp/${gateway}/${port}"
  `;
  await sshSend(address, 'cat > /root/hide', script);
  const sent = async () => counted((await view(server.id)).usage.traffic.outgoing);
  const before = await sent();
  await ssh(address, 'nohup setsid bash /root/hide > /root/hide.log 2>&1 &');
  await until(
    '20 MB have arrived',
    () => received,
    (bytes) => bytes >= 20 * megabyte,
  );
  await until('they are counted', sent, (bytes) => bytes >= before + 20 * megabyte);
  await remove(server.id);
});
