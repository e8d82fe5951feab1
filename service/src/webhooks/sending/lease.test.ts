import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { installation } from '../../testing/fixtures.ts';
import { createTestProject } from '../../testing/people.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterWebhook } from '../../testing/webhooks.ts';
import { atOnce, findLeased, leaseDeliveries } from './lease-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const otherId = await createTestProject(db, 'other');
const url = 'https://hooks.example.com/';

beforeEach(async () => {
  await sql`delete from webhooks`.execute(db);
});

/** Inserts due deliveries, and returns their ids. */
async function due(webhookId: number, count: number, { requested = false, minutesAgo = 1 } = {}) {
  const { rows } = await sql<{ id: number }>`
    insert into webhook_deliveries (project_id, webhook_id, event_id, type, message_id, requested, expires_at, next_attempt_at)
    select project_id, id, n, 'server.started', 'event', ${requested}, now() + interval '1 day',
      now() - make_interval(mins => ${minutesAgo}) + n * interval '1 millisecond'
    from webhooks, generate_series(1, ${count}::integer) n where id = ${webhookId} returning webhook_deliveries.id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

const leasedOf = async (ids: number[]) => {
  const leased = await findLeased(db, ids);
  return Map.groupBy(leased, ({ projectId: project }) => project);
};

test('a webhook, and a project, have only so many attempts at once', async () => {
  const [one, two, three] = [
    await enterWebhook(db, { projectId, url }),
    await enterWebhook(db, { projectId, url }),
    await enterWebhook(db, { projectId, url }),
  ];
  await due(one.id, 20);
  assert.equal((await leaseDeliveries(db, 100)).length, atOnce.webhook);
  assert.deepEqual(await leaseDeliveries(db, 100), []);
  await due(two.id, 20);
  await due(three.id, 20);
  assert.equal((await leaseDeliveries(db, 100)).length, atOnce.project - atOnce.webhook);
  assert.deepEqual(await leaseDeliveries(db, 100), []);
});

test('projects take turns, whoever has more deliveries or older ones', async () => {
  const mine = await enterWebhook(db, { projectId, url });
  const theirs = await enterWebhook(db, { projectId: otherId, url });
  await due(mine.id, 1000, { minutesAgo: 60 });
  const [first] = await due(theirs.id, 2);
  const leased = await leasedOf(await leaseDeliveries(db, 2));
  assert.deepEqual(
    [leased.get(projectId)?.length, leased.get(otherId)?.map(({ id }) => id)],
    [1, [first]],
  );
  // The other project has as many under way now.
  const next = await leasedOf(await leaseDeliveries(db, 2));
  assert.deepEqual([next.get(projectId)?.length, next.get(otherId)?.length], [1, 1]);
});

test('services that lease at the same time share what is due', async () => {
  for (let n = 0; n < 2; n += 1) await due((await enterWebhook(db, { projectId, url })).id, 10);
  const parts = await Promise.all([1, 2, 3, 4].map(() => leaseDeliveries(db, 2)));
  const ids = parts.flat();
  assert.equal(new Set(ids).size, ids.length);
});

test('a delivery whose lease has ended is leased again', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await due(id, 1);
  const [leased] = await leaseDeliveries(db, 10);
  await sql`update webhook_deliveries set next_attempt_at = now(), leased_until = now() where id = ${leased}`.execute(
    db,
  );
  assert.deepEqual(await leaseDeliveries(db, 10), [leased]);
  const [row] = await findLeased(db, [leased ?? 0]);
  assert.equal(row?.attempts, 2);
});

test('of a webhook that is not active only requested deliveries are attempted', async () => {
  for (const state of [
    { enabled: false },
    { paused_at: sql<string>`now()`, paused_because: 'gone' as const },
  ]) {
    const { id } = await enterWebhook(db, { projectId, url });
    await due(id, 3);
    const [wanted] = await due(id, 1, { requested: true });
    await db.updateTable('webhooks').set(state).where('id', '=', id).execute();
    assert.deepEqual(await leaseDeliveries(db, 10), [wanted]);
    await db
      .updateTable('webhooks')
      .set({ deleted_at: sql<string>`now()` })
      .where('id', '=', id)
      .execute();
    assert.deepEqual(await leaseDeliveries(db, 10), []);
  }
});

test('the webhooks of a project take turns, so that one that answers is not behind those that do not', async () => {
  for (let n = 0; n < 2; n += 1) {
    const { id } = await enterWebhook(db, { projectId, url });
    await due(id, 20, { minutesAgo: 60 });
  }
  const [ended] = await leaseDeliveries(db, 100);
  const healthy = await enterWebhook(db, { projectId, url });
  const [first] = await due(healthy.id, 2);
  await sql`
    update webhook_deliveries set status = 'delivered', next_attempt_at = null, leased_until = null
    where id = ${ended}`.execute(db);
  assert.deepEqual(await leaseDeliveries(db, 100), [first]);
});

test('of a webhook, a requested delivery comes first', async () => {
  const { id } = await enterWebhook(db, { projectId, url });
  await due(id, 20, { minutesAgo: 60 });
  const [wanted] = await due(id, 1, { requested: true });
  assert.deepEqual(await leaseDeliveries(db, 1), [wanted]);
});
