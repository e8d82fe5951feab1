import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { confirmationRoutes } from '../confirmation/routes.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken, generousLimits } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { createLimiter, type Limits } from './limiter.ts';

const { db, close } = await createTestDatabase();
after(close);
await createTestProject(db, 'another');

const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

/** Starts a service with these limits and a clock that stands still until the test moves it. */
async function serve(limits: Partial<Limits>) {
  let milliseconds = 0;
  const limiter = createLimiter({ ...generousLimits, ...limits }, () => milliseconds);
  const app = await createTestApp(db, [tokenRoutes, sessionRoutes, confirmationRoutes], {
    limiter,
  });
  apps.push(app);
  const payload = { name: 'made', scopes: ['servers:read'] };
  return {
    app,
    make: (headers: object) =>
      inject(app, { method: 'POST', url: '/v1/tokens', headers: { ...headers }, payload }),
    revoke: (headers: object, id: number) =>
      inject(app, { method: 'DELETE', url: `/v1/tokens/${id}`, headers: { ...headers } }),
    pass: (seconds: number) => {
      milliseconds += seconds * 1000;
    },
  };
}

const newToken = (project = 'default') =>
  createTestToken(db, { project, scopes: ['servers:write', 'servers:read'] });

const entries = async (tokenId: number) =>
  await db
    .selectFrom('audit_log')
    .select(['action', 'status'])
    .where('token_id', '=', tokenId)
    .execute();

const tokensMade = async () =>
  (await db.selectFrom('tokens').select('id').where('name', '=', 'made').execute()).length;

test('a token that creates and revokes tokens makes no more entries in the audit log than its limit allows', async () => {
  const { make, revoke, pass } = await serve({ changes: { perSecond: 1 / 60, burst: 6 } });
  const [{ id, headers }, other] = [await newToken(), await newToken()];
  let done = 0;
  for (let times = 0; times < 20; times += 1) {
    const made = await make(headers);
    if (made.statusCode === 429) continue;
    assert.equal((await revoke(headers, made.json().id)).statusCode, 200);
    done += 2;
  }
  assert.equal(done, 6);
  assert.equal((await entries(id)).length, 6, 'each accepted change is entered, and no other');
  assert.equal((await make(other.headers)).statusCode, 201);
  pass(60);
  assert.equal((await make(headers)).statusCode, 201);
  assert.equal((await make(headers)).statusCode, 429);
});

test('a change beyond the limit is refused before anything is changed, and says when to retry', async () => {
  const { make } = await serve({ changes: { perSecond: 1 / 60, burst: 2 } });
  const { headers } = await newToken();
  const before = await tokensMade();
  const answers = [await make(headers), await make(headers), await make(headers)];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 201, 429],
  );
  const [, , refused] = answers;
  assert.equal(refused?.json().code, 'rate_limited');
  assert.match(
    refused?.json().detail,
    /^This token or user can make 1 change per minute, with a burst of 2/,
  );
  assert.equal(refused?.headers['retry-after'], '60');
  assert.equal(refused?.headers.ratelimit, '"changes";r=0;t=120');
  assert.equal(refused?.headers['ratelimit-policy'], '"changes";q=2;w=120');
  assert.equal(await tokensMade(), before + 2);
});

test('concurrent changes do not exceed the limit', async () => {
  const { make } = await serve({ changes: { perSecond: 1e-6, burst: 3 } });
  const { id, headers } = await newToken();
  const answers = await Promise.all(Array.from({ length: 12 }, () => make(headers)));
  const accepted = answers.filter(({ statusCode }) => statusCode === 201);
  assert.equal(accepted.length, 3);
  assert.equal((await entries(id)).length, 3);
});

test('all tokens of a project share a limit, and those of another project do not', async () => {
  const { make, pass } = await serve({ projects: { perSecond: 1 / 60, burst: 4 } });
  const elsewhere = await newToken('another');
  const statuses = [];
  for (let times = 0; times < 6; times += 1) {
    statuses.push((await make((await newToken()).headers)).statusCode);
  }
  assert.deepEqual(statuses, [201, 201, 201, 201, 429, 429]);
  const refused = await make((await newToken()).headers);
  assert.match(refused.json().detail, /^All tokens and users of this project together/);
  assert.equal((await make(elsewhere.headers)).statusCode, 201);
  pass(60);
  assert.equal((await make((await newToken()).headers)).statusCode, 201);
});

test('taking access away is counted, but never refused', async () => {
  const limits = { changes: { perSecond: 1 / 60, burst: 2 }, projects: { perSecond: 1, burst: 2 } };
  const { make, revoke, pass } = await serve(limits);
  const { id, headers } = await newToken();
  const made = [(await make(headers)).json().id, (await make(headers)).json().id];
  assert.equal((await make(headers)).statusCode, 429);
  for (const one of made) assert.equal((await revoke(headers, one)).statusCode, 200);
  assert.equal((await entries(id)).length, 4);
  pass(120);
  assert.equal((await make(headers)).statusCode, 429, 'the debt is refilled first');
  pass(60);
  assert.equal((await make(headers)).statusCode, 201);
});

test('requests that change nothing are not counted: refusals, and replayed responses', async () => {
  const { make, revoke } = await serve({ changes: { perSecond: 1e-6, burst: 2 } });
  const { headers } = await newToken();
  const key = { ...headers, 'idempotency-key': 'once' };
  for (let times = 0; times < 3; times += 1) {
    assert.equal((await revoke(headers, 999_999)).statusCode, 404);
    assert.equal((await make(key)).statusCode, 201);
  }
  assert.equal((await make(headers)).statusCode, 201);
  assert.equal((await make(headers)).statusCode, 429);
  assert.equal((await make(key)).statusCode, 201, 'even beyond the limit');
});

test('the limit of a project does not apply to administrators', async () => {
  const { make } = await serve({ projects: { perSecond: 1e-6, burst: 1 } });
  const [one, { headers: admin }] = [await newToken(), await createTestToken(db)];
  assert.equal((await make(one.headers)).statusCode, 201);
  assert.equal((await make(one.headers)).statusCode, 429);
  assert.equal((await make(admin)).statusCode, 201);
});

test('somebody with a stolen session can not prevent its owner from ending it', async () => {
  const { app } = await serve({ changes: { perSecond: 1e-6, burst: 2 } });
  const { credentials } = await createTestUser(db);
  const { password } = credentials;
  const thief = await signInAs(app, credentials);
  const confirm = () => thief.ask('POST', '/session/confirm', { body: { password } });
  const statuses = [];
  for (let times = 0; times < 3; times += 1) statuses.push((await confirm()).statusCode);
  assert.deepEqual(statuses, [200, 200, 429]);
  const owner = await signInAs(app, credentials);
  assert.equal((await owner.ask('DELETE', '/sessions')).statusCode, 200);
  assert.equal((await thief.ask('GET', '/session')).statusCode, 401);
});
