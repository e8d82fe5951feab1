import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestApp, createTestToken } from '../../testing/app.ts';
import { installation } from '../../testing/fixtures.ts';
import { inject } from '../../testing/inject.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterEvent, enterWebhook } from '../../testing/webhooks.ts';
import { fanOut } from '../sending/fan-out.ts';
import { deliveryRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const app = await createTestApp(db, [deliveryRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db, { scopes: ['servers:write'] });
const url = 'https://hooks.example.com/';
const webhook = await enterWebhook(db, { projectId, url, types: ['server.started'] });
const other = await enterWebhook(db, { projectId, url, types: ['server.deleted'] });

const ask = (method: 'GET' | 'POST', path: string) =>
  inject(app, { method, url: `/v1/webhooks/${path}`, headers });

const end = async (id: number, status: 'delivered' | 'failed') => {
  await sql`update webhook_deliveries set status = ${status}, next_attempt_at = null where id = ${id}`.execute(
    db,
  );
};

/** A delivery of a new event. */
async function newDelivery() {
  const event = await enterEvent(db, projectId);
  await fanOut(db);
  const [delivery] = (await ask('GET', `${webhook.id}/deliveries?sort=-id&limit=1`)).json();
  assert.equal(delivery.event_id, event);
  return delivery;
}

test('deliveries are listed by state and event, the newest first if wanted', async () => {
  const first = await newDelivery();
  const second = await newDelivery();
  await end(first.id, 'failed');
  const idsOf = async (query: string) => {
    const answer = await ask('GET', `${webhook.id}/deliveries${query}`);
    return answer.json().map(({ id }: { id: number }) => id);
  };
  assert.deepEqual(await idsOf(''), [first.id, second.id]);
  assert.deepEqual(await idsOf('?sort=-id'), [second.id, first.id]);
  assert.deepEqual(await idsOf('?status=failed'), [first.id]);
  assert.deepEqual(await idsOf(`?event_id=${second.event_id}`), [second.id]);
  assert.deepEqual((await ask('GET', `${other.id}/deliveries`)).json(), []);
  assert.deepEqual((await ask('GET', `${webhook.id}/deliveries/${second.id}`)).json(), second);
  const elsewhere = await ask('GET', `${other.id}/deliveries/${second.id}`);
  assert.deepEqual(
    [elsewhere.statusCode, elsewhere.json().code],
    [404, 'webhook_delivery_not_found'],
  );
});

test('a delivery that has ended is sent again as a new one with the same message id', async () => {
  const delivery = await newDelivery();
  await end(delivery.id, 'delivered');
  const answer = await ask('POST', `${webhook.id}/deliveries/${delivery.id}/redeliver`);
  assert.equal(answer.statusCode, 202, answer.body);
  const again = answer.json();
  assert.equal(answer.headers.location, `/v1/webhooks/${webhook.id}/deliveries/${again.id}`);
  assert.deepEqual(
    [again.status, again.redelivery_of, again.message_id, again.event_id, again.attempts],
    ['pending', delivery.id, delivery.message_id, delivery.event_id, 0],
  );
});

test('a pending delivery is attempted now instead, unless it is being attempted', async () => {
  const delivery = await newDelivery();
  const redeliver = () => ask('POST', `${webhook.id}/deliveries/${delivery.id}/redeliver`);
  const later = async (leased: string | null) => {
    await sql`update webhook_deliveries set next_attempt_at = now() + interval '1 hour', leased_until = ${leased}::timestamptz
      where id = ${delivery.id}`.execute(db);
  };
  await later(null);
  const hastened = (await redeliver()).json();
  assert.equal(hastened.id, delivery.id);
  assert.ok(Date.parse(hastened.next_attempt_at) < Date.now() + 60_000);
  await later('2100-01-01');
  assert.ok(Date.parse((await redeliver()).json().next_attempt_at) > Date.now() + 60_000);
});

test('an event that is no longer kept is not sent again', async () => {
  const delivery = await newDelivery();
  await end(delivery.id, 'failed');
  await db.deleteFrom('events').where('id', '=', delivery.event_id).execute();
  const gone = await ask('POST', `${webhook.id}/deliveries/${delivery.id}/redeliver`);
  assert.deepEqual([gone.statusCode, gone.json().code], [410, 'events_gone']);
});

test('a test is a delivery of its own, and is repeated as another one', async () => {
  const answer = await ask('POST', `${webhook.id}/test`);
  assert.equal(answer.statusCode, 202, answer.body);
  const { id, type, event_id, message_id } = answer.json();
  assert.deepEqual([type, event_id], ['webhook.test', null]);
  await end(id, 'failed');
  const again = (await ask('POST', `${webhook.id}/deliveries/${id}/redeliver`)).json();
  assert.equal(again.type, 'webhook.test');
  assert.notEqual(again.message_id, message_id);
});
