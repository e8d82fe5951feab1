import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { createTestApp, createTestToken, generousLimits } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { generateToken } from '../tokens/token.ts';
import { createLimiter, type Limits } from './limiter.ts';

const { db, pool, close } = await createTestDatabase();
after(close);

const schema = { response: { 200: Type.Any() } };

function probeRoutes(api: App): void {
  const config = { scope: 'servers:read' } as const;
  api.get('/probe', { config, schema }, async () => ({}));
  api.post('/probe', { config, schema }, (r) => changesNothing(r, Promise.resolve({})));
  const querystring = Type.Object({ dry_run: Type.Optional(Type.Boolean()) });
  const body = Type.Object({ cpu: Type.Integer() });
  api.post('/guarded', { config, schema: { ...schema, querystring, body } }, (r) =>
    changesNothing(r, Promise.resolve({})),
  );
  const large = { ...config, dryRunCountsAsAction: true };
  api.post('/large', { config: large, schema: { ...schema, body } }, (r) =>
    changesNothing(r, Promise.resolve({})),
  );
  api.post('/dry-run', { config: { ...config, countsAsRead: true }, schema }, (r) =>
    changesNothing(r, Promise.resolve({})),
  );
  api.get('/probe/:id', { config, schema }, async () => ({}));
  api.get('/open', { config: { scope: 'public' }, schema }, async () => ({}));
}

const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

/** Starts a service with these limits and a clock that stands still until the test moves it. */
async function serve(limits: Partial<Limits>) {
  let milliseconds = 0;
  const limiter = createLimiter({ ...generousLimits, ...limits }, () => milliseconds);
  const app = await createTestApp(db, [probeRoutes], { limiter });
  apps.push(app);

  async function ask(token: string | undefined, more: object = {}) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return await inject(app, { url: '/v1/probe', headers, ...more });
  }
  return {
    ask,
    pass: (seconds: number) => {
      milliseconds += seconds * 1000;
    },
    statuses: async (times: number, token: string | undefined, more = {}) => {
      const answers = [];
      for (let at = 0; at < times; at += 1) answers.push(await ask(token, more));
      return answers.map(({ statusCode }) => statusCode);
    },
  };
}

const post = { method: 'POST' } as const;

test('a token has separate limits for reads and actions, and each answer says what remains', async () => {
  const { ask, pass, statuses } = await serve({
    reads: { perSecond: 2, burst: 3 },
    actions: { perSecond: 1, burst: 2 },
  });
  const [{ token }, other] = [await createTestToken(db), await createTestToken(db)];
  const first = await ask(token);
  assert.equal(first.headers.ratelimit, '"reads";r=2;t=1');
  assert.equal(first.headers['ratelimit-policy'], '"reads";q=3;w=2');
  assert.deepEqual(await statuses(3, token, { method: 'HEAD' }), [200, 200, 429]);
  const action = await ask(token, post);
  assert.equal(action.headers.ratelimit, '"actions";r=1;t=1');
  assert.equal(action.headers['ratelimit-policy'], '"actions";q=2;w=2');
  assert.deepEqual(await statuses(2, token, post), [200, 429]);
  assert.deepEqual(await statuses(1, other.token), [200]);
  pass(0.5);
  assert.deepEqual(await statuses(2, token), [200, 429]);
  assert.deepEqual(await statuses(1, token, post), [429]);
});

const guarded = (payload: unknown, url = '/v1/guarded') => ({
  ...post,
  url,
  payload: JSON.stringify(payload),
  ...{ headers: { 'content-type': 'application/json' } },
});

test('a client error counts as a read, so that a script with mistakes is not locked out', async () => {
  const { ask, pass } = await serve({
    reads: { perSecond: 100, burst: 200 },
    actions: { perSecond: 1, burst: 4 },
  });
  const { token } = await createTestToken(db);
  const authorization = { authorization: `Bearer ${token}` };
  const send = async (payload: unknown, headers = {}) => {
    const request = guarded(payload);
    return await ask(undefined, {
      ...request,
      headers: { ...request.headers, ...authorization, ...headers },
    });
  };
  for (let round = 0; round < 10; round += 1) {
    const good = [];
    for (let at = 0; at < 4; at += 1) good.push((await send({ cpu: 1 })).statusCode);
    assert.deepEqual(good, [200, 200, 200, 200], `round ${round}`);
    assert.equal((await send({ cpu: 1 })).statusCode, 429);
    pass(1);
    const wrong = await send({ cpu: 'many' });
    assert.equal(wrong.statusCode, 422);
    assert.match(String(wrong.headers.ratelimit), /^"reads";/);
    pass(3);
  }
});

test('a dry run that the body asks for counts as a read', async () => {
  const { ask } = await serve({
    reads: { perSecond: 1, burst: 5 },
    actions: { perSecond: 1, burst: 1 },
  });
  const { token } = await createTestToken(db);
  const send = async (dry_run: boolean) => {
    const { headers, ...request } = guarded({ cpu: 1, dry_run });
    return await ask(undefined, {
      ...request,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
  };
  for (let times = 0; times < 5; times += 1) {
    const answer = await send(true);
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers.ratelimit), /^"reads";/);
  }
  assert.match(String((await send(false)).headers.ratelimit), /^"actions";/);
  assert.equal((await send(false)).statusCode, 429);
});

test('a dry run of a route with much work counts as an action', async () => {
  const { ask } = await serve({ actions: { perSecond: 1, burst: 1 } });
  const { token } = await createTestToken(db);
  const { headers, ...request } = guarded({ cpu: 1, dry_run: true }, '/v1/large');
  const authorization = `Bearer ${token}`;
  const send = () => ask(undefined, { ...request, headers: { ...headers, authorization } });
  const answer = await send();
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers.ratelimit), /^"actions";/);
  assert.equal((await send()).statusCode, 429);
});

test('all kinds of malformed requests are client errors; a conflict with the state is not', async () => {
  const { ask, statuses } = await serve({
    reads: { perSecond: 1, burst: 5 },
    actions: { perSecond: 1, burst: 1 },
  });
  const { token } = await createTestToken(db);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = { ...post, url: '/v1/guarded', headers };
  const refused = [
    (await ask(undefined, { ...request, payload: '{' })).statusCode,
    (await ask(undefined, { ...request, payload: '{"cpu": "1"}' })).statusCode,
    (await ask(undefined, { ...request, payload: `"${'x'.repeat(300_000)}"` })).statusCode,
    (
      await ask(undefined, {
        ...request,
        headers: { ...headers, 'content-type': 'text/plain' },
        payload: 'x',
      })
    ).statusCode,
  ];
  assert.deepEqual(refused, [400, 422, 413, 415]);
  assert.deepEqual(await statuses(2, token, post), [200, 429]);
  assert.deepEqual(await statuses(2, token), [200, 429]);
});

test('client errors beyond the limit of reads count as actions, which are limited too', async () => {
  const { ask } = await serve({
    reads: { perSecond: 1, burst: 2 },
    actions: { perSecond: 1, burst: 3 },
  });
  const { token } = await createTestToken(db);
  const request = guarded({});
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const statuses = [];
  for (let at = 0; at < 6; at += 1) {
    statuses.push((await ask(undefined, { ...request, headers })).statusCode);
  }
  assert.deepEqual(statuses, [422, 422, 422, 422, 422, 429]);
});

test('a dry run counts as a read, even if no actions are left', async () => {
  const { ask, statuses } = await serve({
    reads: { perSecond: 1, burst: 2 },
    actions: { perSecond: 1, burst: 1 },
  });
  const { token } = await createTestToken(db);
  assert.deepEqual(await statuses(2, token, post), [200, 429]);
  const request = guarded({ cpu: 1 }, '/v1/guarded?dry_run=true');
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  assert.equal((await ask(undefined, { ...request, headers })).statusCode, 200);
  assert.deepEqual(await statuses(2, token, { ...post, url: '/v1/dry-run' }), [200, 429]);
});

test('a request beyond the limit gets the time to retry, and causes no query', async (t) => {
  const { ask, pass, statuses } = await serve({ actions: { perSecond: 0.25, burst: 2 } });
  const { id, token } = await createTestToken(db);
  assert.deepEqual(await statuses(2, token, post), [200, 200]);
  const connect = t.mock.method(pool, 'connect');
  const refused = await ask(token, post);
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers['retry-after'], '4');
  assert.equal(refused.headers.ratelimit, '"actions";r=0;t=8');
  assert.equal(refused.json().code, 'rate_limited');
  assert.equal(
    refused.json().detail,
    'This token can make 0.25 actions per second, with a burst of 2. Try again in 4 seconds.',
  );
  assert.equal(connect.mock.callCount(), 0);
  const entries = await db.selectFrom('audit_log').selectAll().where('token_id', '=', id).execute();
  assert.deepEqual(entries, []);
  pass(3.9);
  assert.equal((await ask(token, post)).headers['retry-after'], '1');
  pass(0.1);
  assert.deepEqual(await statuses(2, token, post), [200, 429]);
});

test('concurrent requests get no more than sequential ones', async () => {
  const { ask } = await serve({ reads: { perSecond: 1, burst: 5 } });
  const { token } = await createTestToken(db);
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(token)));
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 5);
});

test('requests without the scope, or without a project, are counted too', async () => {
  const { statuses } = await serve({ reads: { perSecond: 1, burst: 2 } });
  const none = await createTestToken(db, { scopes: [] });
  assert.deepEqual(await statuses(3, none.token), [403, 403, 429]);
  const lost = await createTestToken(db);
  const headers = { authorization: `Bearer ${lost.token}`, 'berth-project': '999' };
  const url = '/v1/probe/1';
  assert.deepEqual(await statuses(3, undefined, { headers, url }), [404, 404, 429]);
});

const failures = { perSecond: 1 / 6, burst: 3 };

test('an address can send a limited number of invalid tokens; beyond that they cause no separate queries', async (t) => {
  const { ask, pass, statuses } = await serve({ failures });
  assert.deepEqual(await statuses(4, undefined), [401, 401, 401, 401]);
  assert.deepEqual(await statuses(2, 'berth_nonsense'), [401, 401]);
  assert.deepEqual(await statuses(1, generateToken()), [401]);
  const connect = t.mock.method(pool, 'connect');
  const many = await Promise.all(Array.from({ length: 50 }, () => ask(generateToken())));
  assert.deepEqual(new Set(many.map(({ statusCode }) => statusCode)), new Set([429]));
  assert.equal(connect.mock.callCount(), 1);
  assert.deepEqual(await statuses(1, 'berth_nonsense'), [429]);
  const [refused] = many;
  assert.equal(refused?.headers['retry-after'], '6');
  assert.equal(refused?.headers.ratelimit, '"failures";r=0;t=18');
  assert.match(
    refused?.json().detail,
    /^This address has sent too many invalid tokens.* 10 per minute, .* in 6 seconds\.$/,
  );
  assert.deepEqual(await statuses(1, generateToken(), { remoteAddress: '192.0.2.1' }), [401]);
  assert.equal((await ask(undefined, { url: '/v1/open' })).statusCode, 200);
  pass(6);
  assert.deepEqual(await statuses(2, generateToken()), [401, 429]);
});

test('a valid token is accepted even from such an address', async () => {
  const { statuses } = await serve({ failures });
  const [known, fresh] = [await createTestToken(db), await createTestToken(db)];
  const expired = await createTestToken(db, { expiresAt: new Date(Date.now() - 1000) });
  const revoked = await createTestToken(db);
  assert.ok(await revokeToken(db, revoked.id));
  assert.deepEqual(await statuses(1, known.token), [200]);
  assert.deepEqual(await statuses(4, generateToken()), [401, 401, 401, 429]);
  assert.deepEqual(await statuses(2, known.token), [200, 200]);
  assert.deepEqual(await statuses(2, fresh.token), [200, 200]);
  assert.deepEqual(await statuses(1, expired.token), [429]);
  assert.deepEqual(await statuses(1, revoked.token), [429]);
});

test('an unknown route counts as a public request, with any method', async () => {
  const { statuses } = await serve({ public: { perSecond: 1, burst: 4 } });
  const { token } = await createTestToken(db);
  const from = { remoteAddress: '192.0.2.60' };
  assert.deepEqual(await statuses(1, undefined, { ...from, ...post, url: '/nothing' }), [404]);
  assert.deepEqual(await statuses(1, token, { ...from, method: 'PUT' }), [405]);
  assert.deepEqual(await statuses(1, undefined, { ...from, url: '/%zz' }), [400]);
  assert.deepEqual(await statuses(1, undefined, { ...from, url: `/v1/${'x'.repeat(300)}` }), [404]);
  const beyond = [
    { ...post, url: '/nothing' },
    { method: 'PUT' },
    { method: 'OPTIONS' },
    { url: '/%zz' },
    { url: '/v1/open' },
  ];
  for (const asked of beyond) {
    assert.deepEqual(await statuses(1, undefined, { ...from, ...asked }), [429], asked.url);
  }
  assert.deepEqual(await statuses(1, token, from), [200]);
});

test('a large answer counts as several requests of its address', async () => {
  await serve({ public: { perSecond: 1, burst: 41 } });
  for (const url of ['/openapi.json', '/docs/js/scalar.js']) {
    const remoteAddress = url.length === 13 ? '192.0.2.50' : '192.0.2.51';
    const statuses: (number | undefined)[] = [];
    for (let at = 0; at < 4; at += 1) {
      statuses.push((await apps[0]?.inject({ url, remoteAddress }))?.statusCode);
    }
    assert.deepEqual(statuses, [200, 200, 200, 429], url);
  }
});

test('an address can make a limited number of public requests, whatever the route', async () => {
  const { ask, pass, statuses } = await serve({ public: { perSecond: 1, burst: 4 } });
  const from = { url: '/v1/open', remoteAddress: '192.0.2.44' };
  assert.deepEqual(await statuses(2, undefined, from), [200, 200]);
  for (const url of ['/docs/', '/docs/errors']) {
    assert.equal((await app().inject({ ...from, url })).statusCode, 200);
  }
  const refused = await ask(undefined, from);
  assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited']);
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal((await app().inject({ ...from, url: '/docs/errors' })).statusCode, 429);
  assert.deepEqual(await statuses(1, undefined, { ...from, remoteAddress: '192.0.2.45' }), [200]);
  const { token } = await createTestToken(db);
  assert.equal((await ask(token, { remoteAddress: from.remoteAddress })).statusCode, 200);
  pass(1);
  assert.deepEqual(await statuses(1, undefined, from), [200]);

  function app(): App {
    const [first] = apps;
    assert.ok(first);
    return first;
  }
});
