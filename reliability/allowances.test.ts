import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reconcileAllowances } from '../service/src/reconcilers/allowances.ts';
import { reconcileThrottles } from '../service/src/reconcilers/throttles.ts';
import {
  allow,
  allowing,
  card,
  client,
  count,
  db,
  enterAnother,
  gigabyte,
  move,
  nic,
  notices,
  now,
  place,
  round,
  server,
  setClock,
  simulator,
  throttle,
  told,
} from './allowed-server.ts';

const november = (percents: number[], allowance = gigabyte) =>
  percents.map((percent) => ({ percent, month: '2026-11-01', allowance }));

const setAllowance = (allowance: number | null) =>
  db
    .updateTable('servers')
    .set({ traffic_allowance: allowance })
    .where('id', '=', server.id)
    .execute();

/** The entries of the audit log about what Berth did to the server. */
async function entered() {
  const query = db.selectFrom('audit_log').where('source', '=', 'berth').orderBy('id');
  const ofServer = query.where('target_kind', '=', 'server').where('target_id', '=', server.id);
  const rows = await ofServer.select(['project_id', 'action', 'details']).execute();
  assert.ok(rows.every(({ project_id }) => project_id === place.projectId));
  return rows.map(({ action, details }) => [action, details]);
}

test('80 and 100 percent are recorded, once each; then the NIC is throttled until the end of the month', async () => {
  await allow('throttle');
  move(0.79 * gigabyte);
  await round();
  assert.deepEqual(await notices(), []);
  move(0.02 * gigabyte);
  await round();
  await round();
  assert.deepEqual(await notices(), november([80]));
  assert.deepEqual(await card(), nic);
  move(0.2 * gigabyte);
  await round();
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
  const { 'limits.max': _, ...others } = nic;
  const held = { 'limits.ingress': '10Mbit', 'limits.egress': '10Mbit' };
  assert.deepEqual(await card(), { ...others, ...held });
  setClock(new Date('2026-11-30T23:59:45Z'));
  await round(0);
  assert.equal((await card())?.['limits.egress'], '10Mbit');
  await round(30);
  assert.deepEqual(await card(), nic);
  assert.equal(
    (await client.instances.get(server.name))?.config['user.berth.throttled'],
    undefined,
  );
  assert.deepEqual(await notices(), november([80, 100]));
});

test('traffic in a direction that does not count uses nothing up', async () => {
  await allow('throttle', 'incoming');
  move(5 * gigabyte);
  await round();
  assert.deepEqual(await notices(), []);
  await allow('throttle', 'both');
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
});

test('with the policy none there are only notices', async () => {
  await allow('none');
  move(2 * gigabyte);
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
  assert.deepEqual(await card(), nic);
});

test('a raised allowance removes the throttle', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  assert.equal((await card())?.['limits.ingress'], '10Mbit');
  await setAllowance(null);
  await round();
  assert.deepEqual(await card(), nic);
});

test('a throttle that failed, or was lost in a crash, is set by the next sync', async () => {
  await allow('throttle');
  simulator.faults.add({ kind: 'error', method: 'PATCH', path: '.', text: 'failed', status: 500 });
  move(2 * gigabyte);
  await round();
  assert.deepEqual(await card(), nic);
  const { throttled_to, throttle_error } = await throttle();
  assert.equal(throttled_to, null);
  assert.match(throttle_error ?? '', /The engine did not limit what a server receives\./);
  simulator.faults.clear();
  await reconcileThrottles(allowing(), await client.instances.list());
  assert.equal((await card())?.['limits.ingress'], '10Mbit');
  assert.deepEqual(await throttle(), { throttled_to: 10, throttle_error: null });
});

test('a throttle that the kernel can not enforce is not shown as applied, and reported once', async () => {
  simulator.model.lacksLimits.add('limits.egress');
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await reconcileThrottles(allowing(), await client.instances.list());
  }
  assert.deepEqual(await throttle(), {
    throttled_to: null,
    throttle_error:
      'The kernel of its node cannot limit what a server sends. The rate of what a server receives is limited to 10 Mbit/s.',
  });
  const limited = await card();
  assert.deepEqual(
    [limited?.['limits.ingress'], limited?.['limits.egress']],
    ['10Mbit', undefined],
  );
  const node = await db.selectFrom('nodes').select('limits_outgoing').executeTakeFirstOrThrow();
  assert.equal(node.limits_outgoing, false);
  const ofIt = told.filter(({ instance }) => instance === server.name);
  const warnings = ofIt.filter(
    ({ msg }) => msg === 'The traffic rate limit of a server could not be changed.',
  );
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0]?.err, undefined, 'a stack trace is in the log');
  const throttles = (await entered()).filter(([action]) => action === 'traffic_throttle');
  assert.equal(throttles.length, 1);
  // Once the kernel supports it, both directions are limited.
  simulator.model.lacksLimits.clear();
  await db.updateTable('nodes').set({ limits_outgoing: true }).execute();
  await reconcileThrottles(allowing(), await client.instances.list());
  assert.deepEqual(await throttle(), { throttled_to: 10, throttle_error: null });
  await setAllowance(null);
  await round();
  assert.deepEqual(await throttle(), { throttled_to: null, throttle_error: null });
  assert.deepEqual(await card(), nic);
});

test('limits of a direction that the node can not enforce are removed from the NIC', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  // This happens after a move to another node.
  await db.updateTable('nodes').set({ limits_outgoing: false, limits_incoming: false }).execute();
  await reconcileThrottles(allowing(), await client.instances.list());
  assert.deepEqual(await card(), nic);
  const { throttle_error } = await throttle();
  assert.equal(throttle_error, 'The kernel of its node cannot limit traffic.');
});

test('throttles are set concurrently, so that a slow one does not delay the others', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  const first = server;
  await enterAnother();
  await allow('throttle');
  move(2 * gigabyte);
  const asked = new Set<string>();
  const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
  const instances: typeof client.instances = {
    ...client.instances,
    async change(name, ...change) {
      asked.add(name);
      if (asked.size === 2) resolve();
      await bothAsked;
      await client.instances.change(name, ...change);
    },
  };
  for (const { name } of [first, server]) await count(name);
  await reconcileAllowances({ ...allowing(), client: { instances } }, now());
  for (const { name } of [first, server]) {
    const { devices } = (await client.instances.get(name)) ?? {};
    assert.equal(devices?.eth0?.['limits.ingress'], '10Mbit');
  }
});

test('limits that somebody changes are restored by a sync, and nothing else of the NIC', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  await client.instances.change(server.name, ({ devices }) => {
    const { 'limits.egress': _, ...eth0 } = devices.eth0 ?? {};
    return { devices: { eth0: { ...eth0, 'limits.priority': '5' } } };
  });
  await reconcileThrottles(allowing(), await client.instances.list());
  const after = await card();
  assert.deepEqual([after?.['limits.egress'], after?.['limits.priority']], ['10Mbit', '5']);
});

test('limits of a server without a throttle are not changed', async () => {
  await reconcileThrottles(allowing(), await client.instances.list());
  assert.deepEqual(await card(), nic);
});

test('each allowance of a month has its own notices', async () => {
  await allow('none');
  move(0.9 * gigabyte);
  await round();
  await setAllowance(10 * gigabyte);
  await round();
  assert.deepEqual(await notices(), november([80]));
  move(7.2 * gigabyte);
  await round();
  assert.deepEqual(await notices(), [...november([80]), ...november([80], 10 * gigabyte)]);
  await setAllowance(5 * gigabyte);
  await round();
  await round();
  const lowered = november([80, 100], 5 * gigabyte);
  assert.deepEqual((await notices()).slice(2), lowered);
  await setAllowance(null);
  await round();
  assert.equal((await notices()).length, 4);
});

test('the audit log has each notice, and each throttle', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  await round();
  const expected = [
    ['traffic_notice', { percent: 80, allowance: gigabyte }],
    ['traffic_notice', { percent: 100, allowance: gigabyte }],
    ['traffic_throttle', { throttled_to: 10 }],
  ];
  assert.deepEqual(await entered(), expected);
  await setAllowance(null);
  await round();
  await round();
  assert.deepEqual(await entered(), [...expected, ['traffic_throttle', { throttled_to: null }]]);
  assert.deepEqual(await notices(), november([80, 100]));
});
