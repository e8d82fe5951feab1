import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterWebhook } from '../testing/webhooks.ts';
import { keepRecords } from './retention.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const url = 'https://hooks.example.com/';
const signal = new AbortController().signal;

async function enter(webhookId: number, daysAgo: number, count = 1): Promise<void> {
  await sql`
    insert into webhook_deliveries (project_id, webhook_id, event_id, type, message_id, created_at, expires_at)
    select ${projectId}, ${webhookId}, n, 'server.started', 'event', now() - make_interval(days => ${daysAgo}), now()
    from generate_series(1, ${count}::integer) n`.execute(db);
}

const countOf = async (table: 'webhooks' | 'webhook_deliveries') =>
  (await db.selectFrom(table).select('id').execute()).length;

test('deliveries are kept for 30 days', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await enter(id, 31, 3000);
  await enter(id, 29);
  const now = new Date();
  assert.equal((await keepRecords(db, { now, oldBy: null, signal })).deliveries, 0);
  assert.equal((await keepRecords(db, { now, oldBy: now, signal })).deliveries, 3000);
  assert.deepEqual([await countOf('webhook_deliveries'), await countOf('webhooks')], [1, 1]);
});

test('a deleted webhook is removed together with its deliveries', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await enter(id, 0, 5000);
  await sql`update webhooks set deleted_at = now() where id = ${id}`.execute(db);
  const { deliveries } = await keepRecords(db, { now: new Date(), oldBy: null, signal });
  assert.equal(deliveries, 5000);
  assert.deepEqual([await countOf('webhook_deliveries'), await countOf('webhooks')], [1, 1]);
});
