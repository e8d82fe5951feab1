import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterEvent, enterWebhook } from '../testing/webhooks.ts';
import { fanOut } from '../webhooks/sending/fan-out.ts';
import { atOnce, leaseDeliveries } from '../webhooks/sending/lease-queries.ts';
import { installationFigures } from './queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const url = 'https://hooks.example.com/';

beforeEach(async () => {
  await fanOut(db);
  await sql`delete from webhooks`.execute(db);
});

const minutes = 60;

/** Deliveries that wait for the service and for receivers, and for how many minutes the oldest has. */
async function backlog() {
  const figures = await installationFigures(db);
  const value = (name: string, waits_for: string) =>
    figures.find((one) => one.name === name && one.labels.waits_for === waits_for)?.value;
  const of = (waits_for: string) => [
    value('webhook_deliveries_due', waits_for),
    Math.floor((value('webhook_deliveries_due_oldest_seconds', waits_for) ?? -minutes) / minutes),
  ];
  return { service: of('service'), receivers: of('receivers') };
}

async function enterDeliveries(webhookId: number, count: number, { minutesAgo = 10 } = {}) {
  await sql`
    insert into webhook_deliveries (project_id, webhook_id, type, message_id, expires_at, next_attempt_at)
    select project_id, id, 'server.started', 'event', now() + interval '1 day', now() - make_interval(mins => ${minutesAgo})
    from webhooks, generate_series(1, ${count}::integer) where id = ${webhookId}`.execute(db);
}

test('deliveries that are due wait for the service, and those that are later do not wait', async () => {
  assert.deepEqual(await backlog(), { service: [0, 0], receivers: [0, 0] });
  const { id } = await enterWebhook(db, { projectId, url });
  await enterDeliveries(id, 2);
  await enterDeliveries(id, 1, { minutesAgo: -10 });
  assert.deepEqual(await backlog(), { service: [2, 10], receivers: [0, 0] });
});

test('what a webhook cannot have attempted now waits for receivers', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await enterDeliveries(id, atOnce.webhook + 3);
  await leaseDeliveries(db, 100);
  assert.deepEqual(await backlog(), { service: [0, 0], receivers: [3, 10] });
});

test('what a project cannot have attempted now waits for receivers', async () => {
  const hooks = [1, 2, 3].map(() => enterWebhook(db, { projectId, url }));
  const [one, two, three] = await Promise.all(hooks);
  for (const hook of [one, two]) await enterDeliveries(hook?.id ?? 0, atOnce.project / 2);
  await leaseDeliveries(db, 100);
  await enterDeliveries(three?.id ?? 0, 1);
  assert.deepEqual(await backlog(), { service: [0, 0], receivers: [1, 10] });
});

test('deliveries of a webhook that is paused, disabled or deleted do not wait', async () => {
  for (const change of [
    sql`paused_at = now(), paused_because = 'failing'`,
    sql`enabled = false`,
    sql`deleted_at = now()`,
  ]) {
    const { id } = await enterWebhook(db, { projectId, url });
    await enterDeliveries(id, 1);
    await sql`update webhooks set ${change} where id = ${id}`.execute(db);
  }
  assert.deepEqual(await backlog(), { service: [0, 0], receivers: [0, 0] });
});

test('a requested delivery waits even if its webhook is disabled', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await enterDeliveries(id, 1);
  await sql`update webhooks set enabled = false`.execute(db);
  await sql`update webhook_deliveries set requested = true`.execute(db);
  assert.deepEqual((await backlog()).service, [1, 10]);
});

test('an event of which no deliveries were made waits for the service', async () => {
  await enterEvent(db, projectId);
  await sql`update events set at = now() - interval '10 minutes'`.execute(db);
  assert.deepEqual((await backlog()).service, [0, 10]);
  await fanOut(db);
  assert.deepEqual((await backlog()).service, [0, 0]);
});
