import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { noNotifications } from '../../db/notifications.ts';
import { testSecretKey } from '../../testing/app.ts';
import { installation } from '../../testing/fixtures.ts';
import { createTestProject } from '../../testing/people.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { startReceiver, verified } from '../../testing/receiver.ts';
import { eventually } from '../../testing/until.ts';
import { enterEvent, enterWebhook, looseTargets } from '../../testing/webhooks.ts';
import { type DeliveryOptions, startDeliveries } from './deliver.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const otherId = await createTestProject(db, 'other');

const options: DeliveryOptions = {
  ...{ db, notifications: noNotifications, secretKey: testSecretKey },
  log: pino({ enabled: false }),
  targets: looseTargets,
  protectedAddresses: [],
  findApi: async () => [],
  timeoutMs: 60_000,
};

test('two services deliver each event, whatever happens to one of them', async () => {
  await using receiver = await startReceiver();
  const { id, secret } = await enterWebhook(db, {
    projectId,
    url: receiver.url,
    types: ['server.started'],
  });
  const outcomes: string[] = [];
  const observer = { attempted: (outcome: string) => void outcomes.push(outcome) };
  const one = startDeliveries({ ...options, observer });
  const other = startDeliveries({ ...options, observer });
  const events: number[] = [];
  for (let n = 0; n < 20; n += 1) events.push(await enterEvent(db, projectId));
  await one.stop();
  for (let n = 0; n < 20; n += 1) events.push(await enterEvent(db, projectId));
  await eventually(async () => {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select(['event_id', 'status'])
      .where('webhook_id', '=', id)
      .execute();
    const delivered = rows
      .filter(({ status }) => status === 'delivered')
      .map(({ event_id }) => event_id ?? 0);
    assert.deepEqual(
      delivered.toSorted((a, b) => a - b),
      events,
    );
  });
  await other.stop();
  const got = new Set(
    receiver.received.map((request) => (verified(request, secret) as { id: number }).id),
  );
  assert.deepEqual(
    [...got].toSorted((a, b) => a - b),
    events,
  );
  assert.ok(outcomes.every((outcome) => outcome === 'delivered'));
  await db.deleteFrom('webhooks').execute();
});

test('receivers that do not answer keep those of other projects waiting no longer', async () => {
  await using slow = await startReceiver();
  await using fast = await startReceiver();
  slow.answer(() => undefined);
  for (let n = 0; n < 4; n += 1) await enterWebhook(db, { projectId, url: slow.url });
  await enterWebhook(db, { projectId: otherId, url: fast.url });
  for (let n = 0; n < 30; n += 1) await enterEvent(db, projectId);
  const running = startDeliveries(options);
  await slow.nth(8);
  await enterEvent(db, otherId);
  await fast.nth(1);
  assert.equal(slow.received.length, 8, 'no more at once for a project');
  await running.stop();
  await db.deleteFrom('webhooks').execute();
});

test('addresses of the installation itself get nothing', async () => {
  await using receiver = await startReceiver();
  const { id } = await enterWebhook(db, { projectId, url: 'http://127.0.0.1:1025/' });
  await db
    .updateTable('webhooks')
    .set({ url: `http://hooks.example.com:${receiver.port}/` })
    .where('id', '=', id)
    .execute();
  const running = startDeliveries({
    ...options,
    targets: { ...looseTargets, allowedNetworks: [] },
    protectedAddresses: ['9.9.9.0/24'],
    findApi: async () => [{ ip: '1.1.1.1', port: 443 }],
    resolve: async () => ['10.9.0.7', '9.9.9.9', '1.1.1.1', '127.0.0.1'],
  });
  await enterEvent(db, projectId);
  await eventually(async () => {
    const row = await db
      .selectFrom('webhook_deliveries')
      .select('error_reason')
      .where('webhook_id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(row.error_reason, 'address_refused');
  });
  await running.stop();
  assert.deepEqual(receiver.received, []);
});
