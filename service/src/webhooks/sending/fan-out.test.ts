import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { installation } from '../../testing/fixtures.ts';
import { createTestProject } from '../../testing/people.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterEvent, enterWebhook } from '../../testing/webhooks.ts';
import { fanOut } from './fan-out.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const otherId = await createTestProject(db, 'other');
const url = 'https://hooks.example.com/';

async function deliveriesOf(webhookId: number): Promise<number[]> {
  const query = db.selectFrom('webhook_deliveries').select('event_id').orderBy('id');
  const rows = await query.where('webhook_id', '=', webhookId).execute();
  return rows.map(({ event_id }) => event_id ?? 0);
}

const everything = await enterWebhook(db, { projectId, url });
const starts = await enterWebhook(db, { projectId, url, types: ['server.started'] });
const production = await enterWebhook(db, { projectId, url, label_selector: 'env=prod' });
const others = await enterWebhook(db, { projectId: otherId, url });
await fanOut(db);
await db.deleteFrom('webhook_deliveries').execute();

test('each event becomes a delivery for each webhook of its project that selects it, once', async () => {
  const started = await enterEvent(db, projectId);
  const stopped = await enterEvent(db, projectId, {
    type: 'server.stopped',
    labels: { env: 'prod' },
  });
  const elsewhere = await enterEvent(db, otherId);
  await enterEvent(db, null, { type: 'node.offline', serverId: null });
  await Promise.all([fanOut(db), fanOut(db), fanOut(db)]);
  await fanOut(db);
  assert.deepEqual(await deliveriesOf(everything.id), [started, stopped]);
  assert.deepEqual(await deliveriesOf(starts.id), [started]);
  assert.deepEqual(await deliveriesOf(production.id), [stopped]);
  assert.deepEqual(await deliveriesOf(others.id), [elsewhere]);
});

test('an event of a server that has no labels any more is not selected by them', async () => {
  const before = await deliveriesOf(production.id);
  await enterEvent(db, projectId, { labels: { env: 'test' } });
  await fanOut(db);
  assert.deepEqual(await deliveriesOf(production.id), before);
});

test('webhooks that are not active get no deliveries, also not later', async () => {
  const states = [
    { enabled: false },
    { paused_at: sql<string>`now()`, paused_because: 'gone' as const },
    { deleted_at: sql<string>`now()` },
  ];
  for (const state of states) {
    const { id } = await enterWebhook(db, { projectId, url });
    await db.updateTable('webhooks').set(state).where('id', '=', id).execute();
    await enterEvent(db, projectId);
    await fanOut(db);
    await db
      .updateTable('webhooks')
      .set({ enabled: true, paused_at: null, paused_because: null, deleted_at: null })
      .where('id', '=', id)
      .execute();
    await fanOut(db);
    assert.deepEqual(await deliveriesOf(id), []);
  }
});

test('a message has the same id for all webhooks, which tells apart events of a restored database', async () => {
  const event = await enterEvent(db, projectId);
  await fanOut(db);
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(['message_id', 'webhook_id'])
    .where('event_id', '=', event)
    .execute();
  assert.ok(rows.length >= 2);
  assert.equal(new Set(rows.map(({ message_id }) => message_id)).size, 1);
  assert.match(rows[0]?.message_id ?? '', new RegExp(`^event_${event}_\\d{13}$`));
});

test('thousands of events are planned in parts', async () => {
  const before = (await deliveriesOf(everything.id)).length;
  await sql`
    insert into events (type, project_id, server_id, labels, data, at)
    select 'server.started', ${projectId}, 1, '{}', '{"server": {}}', now() from generate_series(1, 2500)`.execute(
    db,
  );
  assert.equal((await fanOut(db)).events, 2500);
  assert.equal((await deliveriesOf(everything.id)).length, before + 2500);
});
