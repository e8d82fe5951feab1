import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Project } from '../../db/project.ts';
import { moveEvents } from '../../events/feed-queries.ts';
import { testSecretKey } from '../../testing/app.ts';
import { installation } from '../../testing/fixtures.ts';
import { testKeyring } from '../../testing/keys.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { startReceiver, verified } from '../../testing/receiver.ts';
import { enterEvent, enterWebhook, looseTargets } from '../../testing/webhooks.ts';
import { addressCheck } from '../addresses.ts';
import { testWebhook } from '../deliveries/deliveries.ts';
import { rotateSecret } from '../webhooks.ts';
import { type Attempting, attempt } from './attempt.ts';
import { fanOut } from './fan-out.ts';
import { findLeased, leaseDeliveries } from './lease-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const project = new Project(db, projectId);
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());
const never = new AbortController().signal;
const attempting: Attempting = {
  ...{ db, secretKey: testSecretKey, log: pino({ enabled: false }) },
  targets: looseTargets,
  check: addressCheck({ allowed: looseTargets.allowedNetworks }),
  resolve: async () => [],
  timeoutMs: 60_000,
};

/** Attempts all deliveries that are due. */
async function attemptDue(more: Partial<Attempting> = {}, signal = never): Promise<void> {
  await fanOut(db);
  const leased = await findLeased(db, await leaseDeliveries(db, 100));
  for (const one of leased) await attempt(one, { ...attempting, ...more }, signal);
}

async function newWebhook(more: Partial<Parameters<typeof enterWebhook>[1]> = {}) {
  await moveEvents(db, 'inTurn');
  await fanOut(db);
  await db.updateTable('webhooks').set({ enabled: false }).execute();
  receiver.received.length = 0;
  receiver.answer((response) => response.writeHead(204).end());
  return await enterWebhook(db, { projectId, url: receiver.url, ...more });
}

const deliveryOf = async (webhookId: number) =>
  await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
const webhookRow = async (id: number) =>
  await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const makeDue = async (id: number) => {
  await sql`update webhook_deliveries set next_attempt_at = now() where webhook_id = ${id} and status = 'pending'`.execute(
    db,
  );
};

test('an event arrives signed, with the headers of the webhook, and as GET /v1/events has it', async () => {
  const { id, secret } = await newWebhook({
    url: `${receiver.url}?a=b`,
    headers: { Authorization: 'Bearer x' },
  });
  const event = await enterEvent(db, projectId, { labels: { env: 'prod' } });
  await attemptDue();
  const [request] = receiver.received;
  assert.ok(request);
  const body = verified(request, secret) as { id: number; data: object };
  assert.equal(body.id, event);
  assert.deepEqual(body.data, { server: { id: 1, labels: { env: 'prod' } } });
  assert.equal(request.path, '/hook?a=b');
  assert.equal(request.headers.authorization, 'Bearer x');
  assert.equal(request.headers['content-type'], 'application/json');
  assert.match(request.headers['user-agent'] ?? '', /^Berth-Webhooks\//);
  const delivery = await deliveryOf(id);
  assert.equal(request.headers['webhook-id'], delivery.message_id);
  assert.deepEqual(
    [delivery.status, delivery.response_status, delivery.attempts, delivery.next_attempt_at],
    ['delivered', 204, 1, null],
  );
  const row = await webhookRow(id);
  assert.ok(row.last_success_at);
  assert.equal(row.failing_since, null);
});

test('a signature is not valid for another body, secret, id or time', async () => {
  const { secret } = await newWebhook();
  const other = await enterWebhook(db, { projectId, url: receiver.url, types: ['server.deleted'] });
  await enterEvent(db, projectId);
  await attemptDue();
  const [request] = receiver.received;
  assert.ok(request);
  verified(request, secret);
  assert.throws(() => verified(request, other.secret), /No matching signature/);
  assert.throws(
    () => verified({ ...request, body: `${request.body} ` }, secret),
    /No matching signature/,
  );
  const headers = (changed: object) => ({
    ...request,
    headers: { ...request.headers, ...changed },
  });
  assert.throws(
    () => verified(headers({ 'webhook-id': 'event_1_1' }), secret),
    /No matching signature/,
  );
  const earlier = String(Number(request.headers['webhook-timestamp']) - 3600);
  assert.throws(() => verified(headers({ 'webhook-timestamp': earlier }), secret), /too old/);
});

test('after a rotation both secrets verify, until the former one ends', async () => {
  const { id, secret: former } = await newWebhook();
  const rotate = (hours: number) =>
    db
      .transaction()
      .execute((trx) =>
        rotateSecret(
          { trx, secretKey: testSecretKey, targets: looseTargets },
          project.in(trx),
          id,
          { keep_former_hours: hours },
        ),
      );
  const { secret: current, row } = await rotate(2);
  assert.ok(row.former_secret_until);
  const next = async () => {
    await enterEvent(db, projectId);
    await attemptDue();
    return receiver.received.at(-1) as NonNullable<(typeof receiver.received)[0]>;
  };
  let request = await next();
  assert.equal(String(request.headers['webhook-signature']).split(' ').length, 2);
  verified(request, former);
  verified(request, current);
  await sql`update webhooks set former_secret_until = now() - interval '1 second' where id = ${id}`.execute(
    db,
  );
  request = await next();
  verified(request, current);
  assert.throws(() => verified(request, former));
  const { secret: newest, row: after0 } = await rotate(0);
  assert.equal(after0.former_secret_until, null);
  request = await next();
  verified(request, newest);
  assert.throws(() => verified(request, current));
});

test('a failed delivery is attempted again with the same id, until it arrives', async () => {
  const { id, secret } = await newWebhook();
  receiver.answer((response) => response.writeHead(500).end('no\u0007 luck'));
  await enterEvent(db, projectId);
  await attemptDue();
  let delivery = await deliveryOf(id);
  assert.deepEqual(
    [delivery.status, delivery.response_status, delivery.response_excerpt, delivery.error_reason],
    ['pending', 500, 'no\ufffd luck', 'bad_status'],
  );
  assert.ok(Date.parse(delivery.next_attempt_at ?? '') > Date.now());
  assert.ok((await webhookRow(id)).failing_since);
  await attemptDue();
  assert.equal(receiver.received.length, 1, 'it is not due yet');
  receiver.answer((response) => response.writeHead(200).end());
  await makeDue(id);
  await attemptDue();
  const [first, second] = receiver.received;
  assert.ok(first && second);
  assert.equal(first.headers['webhook-id'], second.headers['webhook-id']);
  verified(second, secret);
  delivery = await deliveryOf(id);
  assert.deepEqual(
    [delivery.status, delivery.attempts, delivery.error_reason, delivery.error],
    ['delivered', 2, null, null],
  );
  assert.equal((await webhookRow(id)).failing_since, null);
});

test('the last attempt is at the end of 24 hours, and then the delivery has failed', async () => {
  const { id } = await newWebhook();
  receiver.answer((response) => response.writeHead(503, { 'retry-after': '99999' }).end());
  await enterEvent(db, projectId);
  await attemptDue();
  const first = await deliveryOf(id);
  const pause = Date.parse(first.next_attempt_at ?? '') - Date.now();
  assert.ok(pause > 3_000_000 && pause < 3_700_000, 'the receiver has asked for a pause');
  assert.equal(
    Math.round((Date.parse(first.expires_at) - Date.parse(first.created_at)) / 3_600_000),
    24,
  );
  await sql`update webhook_deliveries set expires_at = now() + interval '10 minutes' where id = ${first.id}`.execute(
    db,
  );
  await makeDue(id);
  await attemptDue();
  const second = await deliveryOf(id);
  assert.deepEqual([second.status, second.next_attempt_at], ['pending', second.expires_at]);
  await sql`update webhook_deliveries set expires_at = now() where id = ${first.id}`.execute(db);
  await makeDue(id);
  await attemptDue();
  const last = await deliveryOf(id);
  assert.deepEqual([last.status, last.attempts, last.next_attempt_at], ['failed', 3, null]);
});

test('a webhook is paused after three days without a success, and its project is told', async () => {
  const { id } = await newWebhook();
  receiver.answer((response) => response.writeHead(500).end());
  await enterEvent(db, projectId);
  await attemptDue();
  assert.equal((await webhookRow(id)).paused_at, null);
  await sql`update webhooks set failing_since = now() - interval '71 hours' where id = ${id}`.execute(
    db,
  );
  await makeDue(id);
  await attemptDue();
  assert.equal((await webhookRow(id)).paused_at, null);
  await sql`update webhooks set failing_since = now() - interval '73 hours' where id = ${id}`.execute(
    db,
  );
  await makeDue(id);
  await attemptDue();
  const { paused_at } = await webhookRow(id);
  assert.equal(paused_at, null, 'the first attempts after quiet days do not pause it');
  await sql`update webhook_deliveries set expires_at = now() where webhook_id = ${id}`.execute(db);
  await makeDue(id);
  await attemptDue();
  const row = await webhookRow(id);
  assert.equal(row.paused_because, 'failing');
  const entry = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'webhook_pause')
    .where('target_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.deepEqual(
    [entry.source, entry.project_id, entry.target_kind],
    ['berth', projectId, 'webhook'],
  );
  await moveEvents(db, 'inTurn');
  const event = await db
    .selectFrom('events')
    .selectAll()
    .where('type', '=', 'webhook.paused')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  assert.deepEqual(event.data, { webhook: { id, name: row.name, paused_because: 'failing' } });
  const sent = receiver.received.length;
  await makeDue(id);
  await enterEvent(db, projectId);
  await attemptDue();
  assert.equal(receiver.received.length, sent, 'nothing more is sent');
});

test('a receiver that is gone for good is paused at once', async () => {
  const { id } = await newWebhook();
  receiver.answer((response) => response.writeHead(410).end());
  await enterEvent(db, projectId);
  await attemptDue();
  assert.equal((await webhookRow(id)).paused_because, 'gone');
});

test('a test is attempted once, also while the webhook is disabled, and does not count as its failure', async () => {
  const { id, secret } = await newWebhook();
  await db.updateTable('webhooks').set({ enabled: false }).where('id', '=', id).execute();
  receiver.answer((response) => response.writeHead(410).end());
  await testWebhook(project, id);
  await attemptDue();
  const [request] = receiver.received;
  assert.ok(request);
  const { name } = await webhookRow(id);
  const body = verified(request, secret) as { type: string; data: object };
  assert.deepEqual([body.type, body.data], ['webhook.test', { webhook: { id, name } }]);
  const delivery = await deliveryOf(id);
  assert.deepEqual(
    [delivery.status, delivery.error_reason, delivery.event_id],
    ['failed', 'bad_status', null],
  );
  const row = await webhookRow(id);
  assert.deepEqual([row.failing_since, row.paused_at], [null, null]);
});

test('what prevents an attempt is told by a word', async () => {
  const attempted = async (more: Partial<Attempting>, url = receiver.url) => {
    const { id } = await newWebhook({ url });
    await enterEvent(db, projectId);
    await attemptDue(more);
    return (await deliveryOf(id)).error_reason;
  };
  assert.equal(await attempted({ check: addressCheck({ allowed: [] }) }), 'address_refused');
  const unknown = async () => {
    throw new Error('ENOTFOUND');
  };
  const named = `http://hooks.example.com:${receiver.port}/`;
  assert.equal(await attempted({ resolve: async () => [] }, named), 'name_unresolvable');
  assert.equal(await attempted({ resolve: unknown }, named), 'connection_failed');
  assert.equal(await attempted({}, `https://127.0.0.1:${receiver.port}/`), 'tls_failed');
  assert.equal(await attempted({}, 'http://127.0.0.1:1025/'), 'connection_failed');
  assert.equal(
    await attempted({ secretKey: testKeyring(Buffer.alloc(32, 9)) }),
    'secrets_unreadable',
  );
  receiver.answer(() => undefined);
  const { id } = await newWebhook();
  receiver.answer(() => undefined);
  await enterEvent(db, projectId);
  await attemptDue({ timeoutMs: 300 });
  assert.equal((await deliveryOf(id)).error_reason, 'timeout');
});

test('a status counts although its body has no end, of which little is kept', async () => {
  const { id } = await newWebhook();
  receiver.answer((response) => {
    response.writeHead(200);
    response.write('x'.repeat(5000));
  });
  await enterEvent(db, projectId);
  await attemptDue();
  let delivery = await deliveryOf(id);
  assert.deepEqual([delivery.status, delivery.response_excerpt], ['delivered', 'x'.repeat(1024)]);
  receiver.answer((response) => {
    response.writeHead(200);
    response.write('slow');
  });
  await enterEvent(db, projectId);
  await attemptDue({ timeoutMs: 500 });
  delivery = await deliveryOf(id);
  assert.deepEqual([delivery.status, delivery.response_excerpt], ['delivered', 'slow']);
});

test('an attempt that a stop interrupts begins again at once', async () => {
  const { id } = await newWebhook();
  receiver.answer(() => undefined);
  await enterEvent(db, projectId);
  const stopping = new AbortController();
  const attempts = attemptDue({}, stopping.signal);
  await receiver.nth(1);
  stopping.abort();
  await attempts;
  assert.equal((await deliveryOf(id)).leased_until, null);
  receiver.answer((response) => response.writeHead(200).end());
  await attemptDue();
  assert.equal((await deliveryOf(id)).status, 'delivered');
});

test('an event that is no longer kept is not sent', async () => {
  const { id } = await newWebhook();
  await enterEvent(db, projectId);
  await fanOut(db);
  await db.deleteFrom('events').execute();
  await attemptDue();
  const delivery = await deliveryOf(id);
  assert.deepEqual([delivery.status, delivery.error_reason], ['failed', 'event_gone']);
  assert.equal((await webhookRow(id)).failing_since, null);
});
