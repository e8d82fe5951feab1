import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, created, primaryAddress, remove, until, view } from './api.ts';
import { ssh, sshSend, untilSsh } from './ssh.ts';

const megabyte = 1_000_000;
/** Two readings of the engine, which are 15 s apart. */
const countedWithinSeconds = 40;

test('traffic is counted in both directions, and across a restart of the guest', async () => {
  const server = await created();
  const address = primaryAddress(server);
  const traffic = async () => (await view(server.id)).usage.traffic;

  await sshSend(address, 'cat > /dev/null', Buffer.alloc(30 * megabyte, 'in'));
  await ssh(address, `head -c ${10 * megabyte} /dev/zero`);
  await until('30 MB are counted as incoming', countedWithinSeconds, async () => {
    return (await traffic()).incoming.value >= 30 * megabyte;
  });
  const first = await traffic();
  assert.ok(first.incoming.value < 32 * megabyte, `incoming: ${first.incoming.value}`);
  assert.ok(first.outgoing.value >= 10 * megabyte, `outgoing: ${first.outgoing.value}`);
  assert.ok(first.outgoing.value < 12 * megabyte, `outgoing: ${first.outgoing.value}`);
  assert.equal(first.incoming.is_exceeded, false);

  await call('POST', `/v1/servers/${server.id}/restart`, undefined, { prefer: 'wait=60' });
  await untilSsh(address);
  await sshSend(address, 'cat > /dev/null', Buffer.alloc(20 * megabyte, 'in'));
  await until('50 MB are counted in all', countedWithinSeconds, async () => {
    return (await traffic()).incoming.value >= 50 * megabyte;
  });
  const second = await traffic();
  assert.ok(second.incoming.value < 53 * megabyte, `incoming: ${second.incoming.value}`);

  const { usage } = await view(server.id);
  assert.ok(usage.ram > 5 && usage.ram < 512, `ram: ${usage.ram}`);
  assert.ok(usage.cpu >= 0 && usage.cpu <= 100, `cpu: ${usage.cpu}`);
  await remove(server.id);
});
