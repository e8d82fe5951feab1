import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from '@berth/contract/nodes';
import type { ServerTraffic } from '@berth/contract/traffic';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import { call, created, incusProject, incusSocket, primaryAddress, remove } from './api.ts';
import { sshSend } from './ssh.ts';

const megabyte = 1_000_000;
const megabits = 20;
/** Longer than the test takes. */
const nearMs = 10 * 60_000;

const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => incus.close());

const setPolicy = (policy: object) => call('PATCH', '/v1/locations/1', policy);
/** Waits if the month ends soon, since its used traffic does not count in the next month. */
before(async () => {
  const now = new Date();
  const untilTurn = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  if (untilTurn < nearMs) await sleep(untilTurn + 1000);
});
before(() =>
  setPolicy({
    traffic_policy: 'throttle',
    traffic_counted: 'incoming',
    traffic_throttle: megabits,
  }),
);
after(() => setPolicy({ traffic_policy: 'none', traffic_counted: 'outgoing' }));

test('a server that has used up its allowance is throttled, until its allowance is raised', async () => {
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
  await until('it is throttled', limit, (rate) => rate === `${megabits}Mbit`);
  await until(
    'the result is shown',
    traffic,
    ({ throttled_to, throttle_error }) => throttled_to !== null || throttle_error !== null,
  );
  const exceeded = await traffic();
  assert.equal(exceeded.is_exceeded, true);
  const { outgoing } = (await call<Node>('GET', `/v1/nodes/${server.node}`)).body.traffic_limits;
  // It is in both directions only if the kernel can limit both.
  assert.equal(exceeded.throttled_to, outgoing ? megabits : null);
  assert.equal(exceeded.throttle_error === null, outgoing);
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
  await until('the throttle is removed', limit, (rate) => rate === undefined);
  await until(
    'the removal is shown',
    traffic,
    ({ throttled_to, throttle_error }) => throttled_to === null && throttle_error === null,
  );
  await send(10 * megabyte);
  await remove(server.id);
});
