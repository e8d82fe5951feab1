import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ServerTraffic } from '@berth/contract/traffic';
import { createIncusClient } from '../service/src/incus/client.ts';
import { call, created, incusProject, incusSocket, primaryAddress, remove, until } from './api.ts';
import { sshSend } from './ssh.ts';

const megabyte = 1_000_000;
const megabits = 20;
/** Two readings of the engine, which are 15 s apart. */
const countedWithinSeconds = 40;

const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => incus.close());

const setPolicy = (policy: object) => call('PATCH', '/v1/locations/1', policy);
before(() =>
  setPolicy({
    traffic_policy: 'throttle',
    traffic_counted: 'incoming',
    traffic_throttle: megabits,
  }),
);
after(() => setPolicy({ traffic_policy: 'none', traffic_counted: 'outgoing' }));

test('a server that has used its allowance up gets no more than its rate, until it has some again', async () => {
  const server = await created();
  const path = `/v1/servers/${server.id}/traffic`;
  const traffic = async () => (await call<ServerTraffic>('GET', path)).body;
  const allow = (allowance: number | null) => call('PATCH', path, { allowance });
  const limit = async () =>
    (await incus.instances.get(`srv-${server.uuid}`))?.devices.eth0?.['limits.ingress'];
  const send = (bytes: number) =>
    sshSend(primaryAddress(server), 'cat > /dev/null', Buffer.alloc(bytes, 'in'));

  await allow(30 * megabyte);
  await send(40 * megabyte);
  await until('it is throttled', countedWithinSeconds, async () => {
    return (await limit()) === `${megabits}Mbit`;
  });
  const exceeded = await traffic();
  assert.equal(exceeded.is_exceeded, true);
  assert.equal(exceeded.throttled_to, megabits);
  assert.deepEqual(
    exceeded.notices.map(({ percent }) => percent),
    [80, 100],
  );
  const begun = performance.now();
  await send(10 * megabyte);
  const seconds = (performance.now() - begun) / 1000;
  const rate = (10 * 8) / seconds;
  assert.ok(rate < megabits * 1.1, `${rate} Mbit/s`);

  const { 'limits.ingress': _, ...others } =
    (await incus.instances.get(`srv-${server.uuid}`))?.devices.eth0 ?? {};
  assert.equal(others['security.mac_filtering'], 'true');
  await allow(null);
  await until('it is let go', countedWithinSeconds, async () => (await limit()) === undefined);
  assert.equal((await traffic()).throttled_to, null);
  await send(10 * megabyte);
  await remove(server.id);
});
