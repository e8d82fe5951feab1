import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestApp, createTestToken, testSecretKey } from '../testing/app.ts';
import { allRows } from '../testing/canaries.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { webhookRoutes } from './routes.ts';
import { webhookSecretRoutes } from './secret-routes.ts';
import { openSecrets } from './secrets.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await installation(db);
const app = await createTestApp(db, [webhookRoutes, webhookSecretRoutes, deliveryRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db, { scopes: ['servers:write'] });
const url = 'https://hooks.example.com/berth';
let made = 0;

const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, more = {}) =>
  inject(app, {
    ...{ method, url: `/v1/webhooks${path}`, headers: { ...headers, ...more } },
    ...(body && { payload: body }),
  });

async function create(body: object = {}) {
  made += 1;
  const answer = await ask('POST', '', { name: `hook-${made}`, url, ...body });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json();
}

const secretsOf = async (id: number) => {
  const row = await db
    .selectFrom('webhooks')
    .select('secrets')
    .where('id', '=', id)
    .executeTakeFirst();
  return openSecrets(testSecretKey, id, row?.secrets ?? null);
};

const pointersOf = (answer: { json(): { errors: { pointer: string }[] } }) =>
  answer.json().errors.map(({ pointer }) => pointer);

test('a webhook is created with a secret that no other response contains', async () => {
  const answer = await ask('POST', '', {
    ...{ name: 'deploys', url: 'https://HOOKS.example.com:443/a?b=c', types: ['server.started'] },
    ...{ label_selector: 'env=prod', headers: { Authorization: 'Bearer x' } },
  });
  assert.equal(answer.statusCode, 201, answer.body);
  const { id, secret, ...shown } = answer.json();
  assert.equal(answer.headers.location, `/v1/webhooks/${id}`);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(
    { ...shown, created_at: '' },
    {
      ...{ name: 'deploys', url: 'https://hooks.example.com/a?b=c', types: ['server.started'] },
      ...{ label_selector: 'env=prod', header_names: ['authorization'], enabled: true },
      ...{ status: 'active', paused_because: null, paused_at: null, failing_since: null },
      ...{ last_success_at: null, former_secret_valid_until: null, project_id: projectId },
      created_at: '',
    },
  );
  assert.deepEqual(await secretsOf(id), {
    current: secret,
    headers: { authorization: 'Bearer x' },
  });
  const one = await ask('GET', `/${id}`);
  assert.deepEqual(one.json(), (await ask('GET', '/deploys')).json());
  const texts = [one.body, (await ask('GET', '?q=dep')).body, await allRows(db)];
  for (const text of texts) {
    assert.ok(!text.includes(secret));
    assert.ok(!text.includes('Bearer x'));
  }
});

test('a secret is returned again only for the same request with the same Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'once' };
  const body = { name: 'once', url };
  const first = await ask('POST', '', body, key);
  const again = await ask('POST', '', body, key);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(first.json().secret, again.json().secret);
});

test('all types and all servers are selected by default', async () => {
  const { types, label_selector } = await create();
  assert.deepEqual([types, label_selector], [[], '']);
});

test('URLs to which nothing is sent, reserved headers and invalid selectors are refused together', async () => {
  const refused = await ask('POST', '', {
    ...{ name: 'bad', url: 'https://127.0.0.1/' },
    headers: { Host: 'x', 'webhook-id': 'x', Authorization: 'a', authorization: 'b' },
  });
  assert.equal(refused.statusCode, 422, refused.body);
  assert.deepEqual(pointersOf(refused), [
    '/url',
    '/headers/Host',
    '/headers/webhook-id',
    '/headers/authorization',
  ]);
  const selector = await ask('POST', '', { name: 'bad', url, label_selector: 'a=b=c' });
  assert.deepEqual(pointersOf(selector), ['/label_selector']);
  const { id } = await create();
  const changed = await ask('PATCH', `/${id}`, { url: 'http://example.com/' });
  assert.match(changed.json().errors[0].detail, /https:\/\//);
});

test('plain http and private networks are allowed only if the installation allows them', async () => {
  const webhookTargets = { allowHttp: true, allowedNetworks: ['10.0.5.0/24'] };
  const loose = await createTestApp(db, [webhookRoutes], { webhookTargets });
  const refused = await ask('POST', '', { name: 'bad', url: 'https://10.0.5.9/' });
  assert.match(refused.json().errors[0].detail, /BERTH_WEBHOOK_NETWORKS/);
  const make = async (target: string) => {
    made += 1;
    const payload = { name: `loose-${made}`, url: target };
    return (await inject(loose, { method: 'POST', url: '/v1/webhooks', headers, payload }))
      .statusCode;
  };
  assert.equal(await make('http://10.0.5.9:8080/'), 201);
  assert.equal(await make('http://10.0.6.9/'), 422);
  assert.equal(await make('http://localhost/'), 422);
  await loose.close();
});

test('a name is unique in its project, and a project has at most twenty webhooks', async () => {
  const other = await createTestProject(db, 'full');
  const { headers: theirs } = await createTestToken(db, {
    scopes: ['servers:write'],
    project: 'full',
  });
  const make = (name: string) => ask('POST', '', { name, url }, theirs);
  assert.equal((await make('same')).statusCode, 201);
  assert.equal((await make('SAME')).json().code, 'name_taken');
  for (let n = 1; n < 20; n += 1) assert.equal((await make(`n${n}`)).statusCode, 201);
  assert.equal((await make('one more')).json().code, 'quota_exceeded');
  assert.equal((await ask('PATCH', '/n1', { name: 'n2' }, theirs)).json().code, 'name_taken');
  assert.equal((await ask('DELETE', '/n1', undefined, theirs)).statusCode, 200);
  assert.equal((await make('n1')).statusCode, 201);
  const { count } = await db
    .selectFrom('webhooks')
    .select(sql<number>`count(*)`.as('count'))
    .where('project_id', '=', other)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  assert.equal(count, 20);
});

test('fields are changed one by one, and headers as a whole', async () => {
  const { id, secret } = await create({ headers: { 'X-One': '1', 'X-Two': '2' } });
  const renamed = await ask('PATCH', `/${id}`, { name: `renamed-${id}` });
  assert.deepEqual(renamed.json().header_names, ['x-one', 'x-two']);
  const changed = await ask('PATCH', `/${id}`, {
    headers: { 'X-Three': '3' },
    types: ['server.failed'],
  });
  assert.deepEqual(
    [changed.json().header_names, changed.json().types],
    [['x-three'], ['server.failed']],
  );
  assert.deepEqual(await secretsOf(id), { current: secret, headers: { 'x-three': '3' } });
  const entry = await db
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'webhook_update')
    .where('target_id', '=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  assert.deepEqual(entry.details, {
    types: { before: '', after: 'server.failed' },
    headers_changed: true,
  });
});

test('secret headers are not sent to another origin unless they are given again', async () => {
  const { id } = await create({ headers: { 'X-One': '1' } });
  const moved = 'https://other.example.com/';
  assert.equal((await ask('PATCH', `/${id}`, { url: `${url}/elsewhere` })).statusCode, 200);
  assert.deepEqual(pointersOf(await ask('PATCH', `/${id}`, { url: moved })), ['/headers']);
  const changed = await ask('PATCH', `/${id}`, { url: moved, headers: {} });
  assert.deepEqual([changed.json().url, changed.json().header_names], [moved, []]);
});

test('a webhook is disabled, and a paused one is resumed', async () => {
  const { id } = await create();
  assert.equal((await ask('PATCH', `/${id}`, { enabled: false })).json().status, 'disabled');
  assert.equal((await ask('PATCH', `/${id}`, { enabled: true })).json().status, 'active');
  await sql`update webhooks set paused_at = now(), paused_because = 'failing', failing_since = now() where id = ${id}`.execute(
    db,
  );
  const paused = (await ask('PATCH', `/${id}`, { name: `paused-${id}` })).json();
  assert.deepEqual(
    [paused.status, paused.paused_because, paused.enabled],
    ['paused', 'failing', true],
  );
  const resumed = (await ask('PATCH', `/${id}`, { enabled: true })).json();
  assert.deepEqual(
    [resumed.status, resumed.paused_at, resumed.failing_since],
    ['active', null, null],
  );
});

test('a rotation returns a new secret, and keeps the former one for as long as it is asked', async () => {
  const { id, secret } = await create({ headers: { 'X-One': '1' } });
  const rotated = await ask('POST', `/${id}/rotate-secret`);
  assert.equal(rotated.statusCode, 200, rotated.body);
  const next = rotated.json();
  assert.notEqual(next.secret, secret);
  const hours = (Date.parse(next.former_secret_valid_until) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.8 && hours <= 24.1, `${hours}`);
  assert.deepEqual(await secretsOf(id), {
    current: next.secret,
    former: secret,
    headers: { 'x-one': '1' },
  });
  const last = (await ask('POST', `/${id}/rotate-secret`, { keep_former_hours: 0 })).json();
  assert.equal(last.former_secret_valid_until, null);
  assert.deepEqual(await secretsOf(id), { current: last.secret, headers: { 'x-one': '1' } });
});

test('secrets that no key can read are replaced by a rotation', async () => {
  const { id } = await create({ headers: { 'X-One': '1' } });
  await sql`update webhooks set secrets = '\\x00' where id = ${id}`.execute(db);
  const refused = await ask('PATCH', `/${id}`, { headers: {} });
  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'secrets_unreadable']);
  const { secret, header_names } = (await ask('POST', `/${id}/rotate-secret`)).json();
  assert.deepEqual(header_names, []);
  assert.deepEqual(await secretsOf(id), { current: secret, headers: {} });
});

test('a deleted webhook is gone, and so are its secrets', async () => {
  const { id } = await create();
  assert.equal((await ask('DELETE', `/${id}`)).statusCode, 200);
  for (const path of [`/${id}`, `/${id}/deliveries`]) {
    assert.equal((await ask('GET', path)).json().code, 'webhook_not_found');
  }
  assert.equal((await ask('POST', `/${id}/test`)).json().code, 'webhook_not_found');
  assert.equal(await secretsOf(id), undefined);
});
