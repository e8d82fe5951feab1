import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { createLimiter, type Limits } from '../limits/limiter.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken, generousLimits, testSecretKey } from '../testing/app.ts';
import { allRows } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { auditOf, type Browser, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { deleteExpiredAuthorizations } from './expired-queries.ts';
import { deviceAuthorizationRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);
const { projectId } = await createTestToken(db);

const apps: App[] = [];
after(() => Promise.all(apps.map((one) => one.close())));

/** A service whose limits do not refill. */
async function serve(limits: Partial<Limits> = {}): Promise<App> {
  const limiter = createLimiter({ ...generousLimits, ...limits }, () => 0);
  const routes = [deviceAuthorizationRoutes, tokenRoutes, sessionRoutes];
  const app = await createTestApp(db, routes, { limiter });
  apps.push(app);
  return app;
}

let app: App;
let ada: Browser;
let adaId: number;
before(async () => {
  app = await serve();
  const user = await createTestUser(db, { roles: { [projectId]: 'owner' } });
  adaId = user.id;
  ada = await signInAs(app, user.credentials);
});

const post = (url: string, payload: object, on = app) =>
  inject(on, { method: 'POST', url: `/v1/device-authorizations${url}`, payload });

async function begin(client_name = 'laptop') {
  const answer = await post('', { client_name });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json() as { device_code: string; user_code: string };
}

const redeem = (device_code: string) => post('/token', { device_code });
const at = (code: string, verb = '') => `/device-authorizations/${code}${verb}`;
const approve = (code: string, body: object = {}, by = ada) =>
  by.ask('POST', at(code, '/approve'), { body: { scopes: ['servers:read'], ...body } });
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];
const expire = () =>
  sql`update device_authorizations set expires_at = now() - interval '1 second'`.execute(db);

const pending = [400, 'authorization_pending'];
const invalid = [400, 'device_code_invalid'];
const unknown = [404, 'user_code_not_found'];

test('a program gets the token that a person has approved, once', async () => {
  const begun = (await post('', { client_name: 'laptop' })).json();
  const { device_code, user_code } = begun;
  assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.equal(begun.verification_url, 'http://localhost/authorize');
  assert.equal(begun.verification_url_complete, `${begun.verification_url}?code=${user_code}`);
  assert.deepEqual(outcome(await redeem(device_code)), pending);
  const shown = await ada.ask('GET', at(user_code.toLowerCase().replace('-', '')));
  assert.deepEqual(
    [shown.json().client_name, shown.json().address, shown.json().expires_at],
    ['laptop', '127.0.0.1', begun.expires_at],
  );
  const expires_at = '2099-01-01T00:00:00.000000Z';
  const approved = await approve(user_code, { expires_at });
  assert.equal(approved.statusCode, 200, approved.body);
  const { id, name, scopes, user_id } = approved.json();
  assert.deepEqual([name, scopes, user_id], ['berth on laptop', ['servers:read'], adaId]);
  assert.equal(approved.json().expires_at, expires_at);
  assert.equal('token' in approved.json(), false);
  const { token, token_id } = (await redeem(device_code)).json();
  assert.equal(token_id, id);
  const headers = { authorization: `Bearer ${token}` };
  const who = (await inject(app, { url: '/v1/whoami', headers })).json();
  assert.deepEqual([who.token_id, who.user.id, who.project.id], [id, adaId, projectId]);
  assert.deepEqual(outcome(await redeem(device_code)), invalid);
  const [entry] = await auditOf(db, 'device_authorization_approve');
  assert.deepEqual([entry?.target_kind, entry?.target_id, entry?.user_id], ['token', id, adaId]);
  const { client_name, client_address } = (entry?.details ?? {}) as Record<string, unknown>;
  assert.deepEqual([client_name, client_address], ['laptop', '127.0.0.1']);
});

test('the page is that of the public URL, or of the loopback address that was asked', async () => {
  const payload = { client_name: 'laptop' };
  const pageFor = async (host: string) => {
    const url = '/v1/device-authorizations';
    const headers = { host };
    return (await inject(app, { method: 'POST', url, headers, payload })).json().verification_url;
  };
  assert.equal(await pageFor('127.0.0.1:18080'), 'http://127.0.0.1:18080/authorize');
  assert.equal(await pageFor('evil.example'), 'http://localhost:8080/authorize');
});

test('of programs that ask at the same time with the code, one gets the token', async () => {
  const { device_code, user_code } = await begin();
  await approve(user_code);
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(device_code)));
  const statuses = answers.map(({ statusCode }) => statusCode).toSorted();
  assert.deepEqual(statuses, [200, 400, 400, 400, 400, 400, 400, 400]);
});

test('of people who decide at the same time, one does, and others find nothing afterwards', async () => {
  const { user_code } = await begin();
  const deny = () => ada.ask('POST', at(user_code, '/deny'));
  const answers = await Promise.all([approve(user_code), deny(), approve(user_code), deny()]);
  const statuses = answers.map(({ statusCode }) => statusCode).toSorted();
  assert.deepEqual(statuses, [200, 404, 404, 404]);
  for (const answer of [await approve(user_code), await ada.ask('GET', at(user_code))]) {
    assert.deepEqual(outcome(answer), unknown);
  }
});

test('a program is told that it was denied', async () => {
  const { device_code, user_code } = await begin();
  const denied = await ada.ask('POST', at(user_code, '/deny'));
  assert.deepEqual([denied.statusCode, denied.json().client_name], [200, 'laptop']);
  assert.deepEqual(outcome(await redeem(device_code)), [403, 'authorization_denied']);
  assert.deepEqual(outcome(await redeem(device_code)), invalid);
});

test('codes expire, and the token that nobody has fetched is revoked', async () => {
  const approved = await begin('approved');
  const left = await begin('left');
  const { id } = (await approve(approved.user_code)).json();
  await expire();
  for (const { device_code } of [approved, left]) {
    assert.deepEqual(outcome(await redeem(device_code)), invalid);
  }
  for (const answer of [await approve(left.user_code), await ada.ask('GET', at(left.user_code))]) {
    assert.deepEqual(outcome(answer), unknown);
  }
  assert.equal((await ada.ask('GET', `/tokens/${id}`)).statusCode, 200);
  assert.ok((await deleteExpiredAuthorizations(db)) >= 2);
  assert.equal((await ada.ask('GET', `/tokens/${id}`)).statusCode, 404);
  const entry = (await auditOf(db, 'token_revoke')).at(-1);
  assert.deepEqual([entry?.source, entry?.target_id], ['berth', id]);
  assert.equal(await deleteExpiredAuthorizations(db), 0);
});

test('a token that was fetched stays when its codes have expired', async () => {
  const { device_code, user_code } = await begin();
  const { id } = (await approve(user_code)).json();
  await redeem(device_code);
  await expire();
  await deleteExpiredAuthorizations(db);
  assert.equal((await ada.ask('GET', `/tokens/${id}`)).statusCode, 200);
});

test('nobody approves more than they may do, or without a recent proof that it is them', async () => {
  const { device_code, user_code } = await begin();
  const refused = await approve(user_code, { scopes: ['admin'] });
  assert.equal(refused.json().errors[0].pointer, '/scopes/0');
  const viewer = await createTestUser(db, { roles: { [projectId]: 'viewer' } });
  const asViewer = await signInAs(app, viewer.credentials);
  assert.deepEqual(outcome(await approve(user_code, {}, asViewer)), [403, 'scope_missing']);
  const owner = await createTestUser(db, { roles: { [projectId]: 'owner' } });
  const later = await signInAs(app, owner.credentials);
  await sql`update sessions set confirmed_at = now() - interval '11 minutes'
    where user_id = ${owner.id}`.execute(db);
  assert.deepEqual(outcome(await approve(user_code, {}, later)), [403, 'confirmation_required']);
  const { 'berth-csrf': _, ...headers } = ada.headers;
  const url = `/v1${at(user_code, '/approve')}`;
  const payload = { scopes: ['servers:read'] };
  const forged = await inject(app, { method: 'POST', url, headers, payload });
  assert.deepEqual(outcome(forged), [403, 'csrf_failed']);
  assert.deepEqual(outcome(await redeem(device_code)), pending);
});

test('codes and tokens are not in the database', async () => {
  const { device_code, user_code } = await begin();
  await approve(user_code);
  const rows = await allRows(db);
  const { token } = (await redeem(device_code)).json();
  const bare = user_code.replace('-', '');
  for (const secret of [device_code, user_code, bare, token]) {
    assert.ok(!rows.includes(secret) && !rows.includes(Buffer.from(secret).toString('hex')));
  }
});

test('a token can be read only with the key of the installation', async () => {
  const { device_code, user_code } = await begin();
  await approve(user_code);
  await sql`update device_authorizations set token = ${testSecretKey.seal(
    { table: 'device_authorizations', column: 'token', row: 'another' },
    'moved here',
  )} where token is not null`.execute(db);
  assert.deepEqual(outcome(await redeem(device_code)), invalid);
});

test('guesses of either code are limited, and programs that wait are not', async () => {
  const attempts = { burst: 3, perSecond: 0.001 };
  const limited = await serve({ attempts });
  const { device_code } = await begin();
  for (let asked = 0; asked < 10; asked += 1) {
    assert.deepEqual(outcome(await post('/token', { device_code }, limited)), pending);
  }
  const guess = () => post('/token', { device_code: 'A'.repeat(43) }, limited);
  for (let guessed = 0; guessed < 3; guessed += 1)
    assert.deepEqual(outcome(await guess()), invalid);
  assert.deepEqual(outcome(await guess()), [429, 'rate_limited']);
});

test('guesses of the codes that people enter are limited for each of them', async () => {
  const limited = await serve({ attempts: { burst: 3, perSecond: 0.001 } });
  const owner = await createTestUser(db, { roles: { [projectId]: 'owner' } });
  const { ask } = await signInAs(limited, owner.credentials);
  const { user_code } = await begin();
  for (let seen = 0; seen < 6; seen += 1) {
    assert.equal((await ask('GET', at(user_code))).statusCode, 200);
  }
  const body = { scopes: ['servers:read'] };
  assert.deepEqual(outcome(await ask('GET', at('BBBB-BBBB'))), unknown);
  assert.deepEqual(outcome(await ask('POST', at('BBBB-BBBC', '/approve'), { body })), unknown);
  assert.deepEqual(outcome(await ask('POST', at('BBBB-BBBD', '/deny'))), unknown);
  for (const answer of [
    await ask('GET', at(user_code)),
    await ask('POST', at(user_code, '/approve'), { body }),
    await ask('POST', at(user_code, '/deny')),
  ]) {
    assert.deepEqual(outcome(answer), [429, 'rate_limited']);
  }
});

test('an address can begin only so many', async () => {
  const limited = await serve({ sign_in_starts: { burst: 2, perSecond: 0.001 } });
  const answers = [];
  for (let asked = 0; asked < 3; asked += 1) {
    answers.push((await post('', { client_name: 'laptop' }, limited)).statusCode);
  }
  assert.deepEqual(answers, [201, 201, 429]);
});
