import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Server } from '@berth/contract/servers';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  created,
  directory,
  incusProject,
  incusSocket,
  primaryAddress,
  remove,
  view,
} from './api.ts';
import { currentService, startService, stopService } from './service.ts';
import { ssh, sshSend, untilSsh } from './ssh.ts';

const megabyte = 1_000_000;

const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => incus.close());

interface Bytes {
  in: number;
  out: number;
}

const plus = (a: Bytes, b: Bytes): Bytes => ({ in: a.in + b.in, out: a.out + b.out });

/**
 * The counters of the host's kernel at its end of the NIC since the guest started. The metered
 * values are compared with these, which are read without the engine and the service.
 */
async function passedCard({ uuid }: Server): Promise<Bytes> {
  const instance = await incus.instances.get(`srv-${uuid}`);
  const card = instance?.config['volatile.eth0.host_name'];
  const count = (name: string) =>
    Number(readFileSync(`/sys/class/net/${card}/statistics/${name}`, 'utf8'));
  return { in: count('tx_bytes'), out: count('rx_bytes') };
}

async function metered({ id }: Server): Promise<Bytes> {
  const { incoming, outgoing } = (await view(id)).usage.traffic;
  // The month may end meanwhile.
  return { in: incoming.value + incoming.prev, out: outgoing.value + outgoing.prev };
}

async function move(server: Server, { in: incoming, out }: Bytes): Promise<void> {
  const address = primaryAddress(server);
  await sshSend(address, 'cat > /dev/null', Buffer.alloc(incoming, 'in'));
  await ssh(address, `head -c ${out} /dev/zero`);
}

async function restart(server: Server): Promise<void> {
  const path = `/v1/servers/${server.id}/restart`;
  const { status } = await call('POST', path, undefined, { prefer: 'wait=60' });
  assert.equal(status, 202);
  await untilSsh(primaryAddress(server));
}

test('100 MB in and 50 MB out are metered within 1 %, through restarts and a killed service', async (t) => {
  const server = await created();
  const moved: Bytes = { in: 0, out: 0 };
  const send = async (bytes: Bytes) => {
    await move(server, bytes);
    Object.assign(moved, plus(moved, bytes));
  };

  await send({ in: 30 * megabyte, out: 15 * megabyte });
  let passed = await passedCard(server);
  await restart(server);

  await send({ in: 20 * megabyte, out: 10 * megabyte });
  await stopService(directory(), 'SIGKILL');
  await send({ in: 20 * megabyte, out: 10 * megabyte });
  await startService(currentService(directory()));
  passed = plus(passed, await passedCard(server));
  await restart(server);

  await send({ in: 30 * megabyte, out: 15 * megabyte });
  passed = plus(passed, await passedCard(server));
  assert.deepEqual(moved, { in: 100 * megabyte, out: 50 * megabyte });

  const meter = await until(
    'all traffic of the network interface is metered',
    () => metered(server),
    ({ in: incoming, out }) => incoming >= passed.in && out >= passed.out,
  );
  for (const way of ['in', 'out'] as const) {
    const beyond = (than: Bytes) => `${((meter[way] / than[way] - 1) * 100).toFixed(2)} %`;
    const figures = `${way}: ${meter[way]} bytes metered, ${passed[way]} passed the network interface, ${moved[way]} were sent`;
    t.diagnostic(`${figures}: ${beyond(passed)} more than passed, ${beyond(moved)} than were sent`);
    // The traffic of the shutdown is added; both values include headers.
    assert.ok(meter[way] <= passed[way] * 1.01, figures);
    assert.ok(passed[way] >= moved[way], figures);
  }
  await remove(server.id);
});
