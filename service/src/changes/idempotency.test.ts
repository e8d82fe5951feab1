import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { Problem } from '../problems/problem.ts';
import { deleteOldIdempotencyKeys } from '../retention/idempotency-queries.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken, testSecretKey } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { patiently } from '../testing/patiently.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { until } from '../testing/until.ts';
import { markAudited } from './audit-marks.ts';
import { forgetSecrets, idempotently, sendAnswer } from './idempotency.ts';
import { deleteAnswersTo, storeAnswer } from './idempotency-queries.ts';

const { db, pool, close } = await createTestDatabase();
after(close);

let runs = 0;
const Probe = Type.Object({ run: Type.Integer(), password: Type.Optional(Type.String()) });
const Body = Type.Object(
  {
    password: Type.Optional(Type.String()),
    cpu: Type.Optional(Type.Integer()),
    any: Type.Optional(Type.Any()),
  },
  { additionalProperties: false },
);

/** Each run creates a project, which shows what was committed. */
function probeRoutes(api: App, { db: probed, secretKey }: Deps): void {
  const schema = { body: Body, response: { 201: Probe } };
  for (const path of ['/probe', '/probe/:id']) {
    api.post(path, { config: { scope: 'servers:write' }, schema }, async (request, reply) => {
      const answer = await idempotently(request, probed, secretKey, async (trx) => {
        runs += 1;
        const run = runs;
        await trx
          .insertInto('projects')
          .values({ name: `run ${run}` })
          .execute();
        await sleep(20);
        if (request.body.password === 'refuse') throw new Problem('no_capacity', 'No.');
        return { status: 201, headers: { Location: `/v1/probe/${run}` }, body: { run } };
      });
      markAudited(request);
      return sendAnswer(reply, answer);
    });
  }
}

let app: App;
let tokenId: number;
let headers: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [probeRoutes]);
  ({ id: tokenId, headers } = await createTestToken(db));
});
after(() => app.close());
beforeEach(() => {
  runs = 0;
});

interface Sent {
  key?: string;
  url?: string;
  payload?: Record<string, unknown> | string;
  headers?: Record<string, string>;
}

async function post({ key, url = '/v1/probe', payload = {}, ...more }: Sent = {}) {
  const keyed = key === undefined ? {} : { 'idempotency-key': key };
  return await inject(app, {
    method: 'POST',
    url,
    payload,
    headers: { ...headers, ...keyed, ...more.headers },
  });
}

async function committedRuns(): Promise<number> {
  const query = db.selectFrom('projects').where('name', 'like', 'run %');
  const { count } = await query.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
  await db.deleteFrom('projects').where('name', 'like', 'run %').execute();
  return count;
}

test('without a key every request runs', async () => {
  await post();
  await post();
  assert.equal(await committedRuns(), 2);
});

test('the first response is replayed, however the request is written', async () => {
  const first = await post({ key: 'again', payload: { password: 'x', cpu: 1 } });
  assert.equal(first.statusCode, 201);
  assert.equal(first.headers['idempotency-replayed'], undefined);
  const again = [
    await post({ key: 'again', payload: { cpu: 1, password: 'x' } }),
    await post({ key: 'again', payload: { cpu: 1, password: 'x' }, url: '/api/v1/probe/' }),
    await post({
      key: 'again',
      payload: 'cpu=1&password=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ];
  for (const answer of again) {
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.body, first.body);
    assert.equal(answer.headers.location, first.headers.location);
    assert.equal(answer.headers['idempotency-replayed'], 'true');
  }
  assert.equal(await committedRuns(), 1);
});

test('twenty concurrent requests run once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post({ key: 'at-once' })));
  assert.deepEqual(new Set(answers.map((a) => a.body)), new Set(['{"run":1}']));
  assert.equal(answers.filter((a) => a.headers['idempotency-replayed'] === undefined).length, 1);
  assert.equal(await committedRuns(), 1);
});

test('requests that wait for the first do not hold any resources', async () => {
  const lock = 'select pg_advisory_lock(hashtextextended($1, 0))';
  const first = await pool.connect();
  await first.query(lock, [`idempotency token:${tokenId} held`]);
  // On a busy machine, some requests wait too long and are sent again.
  const waiting = Array.from({ length: 40 }, () =>
    until(
      'it gets a response',
      () => post({ key: 'held' }),
      ({ statusCode }) => statusCode !== 409 && statusCode !== 503,
    ),
  );
  await sleep(200);
  const beside = await patiently(() => post());
  assert.equal(beside.statusCode, 201);
  const { run } = beside.json();
  assert.equal(run, runs, 'none of those that wait has run');
  first.release(true);
  const answers = await Promise.all(waiting);
  assert.deepEqual(new Set(answers.map((a) => a.body)), new Set([`{"run":${run + 1}}`]));
  assert.equal(await committedRuns(), 2);
});

test('another request with the same key is refused', async () => {
  await post({ key: 'other' });
  for (const sent of [{ payload: { cpu: 2 } }, { url: '/v1/probe/1' }, { url: '/v1/probe/2' }]) {
    const answer = await post({ key: 'other', ...sent });
    assert.equal(answer.statusCode, 422);
    assert.equal(answer.json().code, 'idempotency_mismatch');
  }
  assert.equal(await committedRuns(), 1);
});

test('a key of another project is refused, and its response is not replayed', async () => {
  const { id } = await db
    .insertInto('projects')
    .values({ name: 'elsewhere' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const first = await post({ key: 'project' });
  assert.equal(first.statusCode, 201);
  const elsewhere = { 'berth-project': String(id) };
  const answer = await post({ key: 'project', headers: elsewhere });
  assert.equal(answer.statusCode, 422, 'a response in one project is not replayed in another');
  assert.equal(answer.json().code, 'idempotency_mismatch');
  assert.equal(await committedRuns(), 1);
});

test('an error is not stored, nor its changes', async () => {
  const payload = { password: 'refuse' };
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await post({ key: 'refused', payload })).statusCode, 409);
  }
  assert.equal(runs, 2);
  assert.equal(await committedRuns(), 0);
  assert.equal((await post({ key: 'refused' })).statusCode, 201);
  await committedRuns();
});

test('the keys of two tokens are independent', async () => {
  const other = await createTestToken(db);
  await post({ key: 'shared' });
  const answer = await post({ key: 'shared', payload: { cpu: 2 }, headers: other.headers });
  assert.equal(answer.statusCode, 201);
  assert.equal(await committedRuns(), 2);
});

test('users without a project have keys, which are independent', async () => {
  const routes = (api: App, { db: probed, secretKey }: Deps) => {
    const schema = { response: { 201: Type.Any() } };
    const config = { scope: 'servers:write', worksWithoutProject: true } as const;
    api.post('/homeless', { config, schema }, async (request, reply) => {
      const answer = await idempotently(request, probed, secretKey, async () => {
        runs += 1;
        return { status: 201, body: { run: runs } };
      });
      markAudited(request);
      return sendAnswer(reply, answer);
    });
  };
  const api = await createTestApp(db, [routes, sessionRoutes]);
  const answered = [];
  for (let user = 0; user < 2; user += 1) {
    const { ask } = await signInAs(api, (await createTestUser(db)).credentials);
    for (let time = 0; time < 2; time += 1) {
      answered.push((await ask('POST', '/homeless', { 'idempotency-key': 'homeless' })).json());
    }
  }
  assert.deepEqual(answered, [{ run: 1 }, { run: 1 }, { run: 2 }, { run: 2 }]);
  await api.close();
});

test('a key is valid for 24 hours', async () => {
  await post({ key: 'old' });
  const age = (hours: number) =>
    db
      .updateTable('idempotency_keys')
      .set({ created_at: sql<string>`now() - make_interval(hours => ${hours})` })
      .where('key', '=', 'old')
      .execute();
  await age(23);
  assert.equal((await post({ key: 'old' })).json().run, 1);
  await age(25);
  assert.equal((await post({ key: 'old', payload: { cpu: 2 } })).json().run, 2);
  assert.equal((await post({ key: 'old', payload: { cpu: 2 } })).json().run, 2);
  await age(25);
  assert.equal(await deleteOldIdempotencyKeys(db), 1);
  assert.equal(await deleteOldIdempotencyKeys(db), 0);
  await committedRuns();
});

test('the stored row does not contain the request', async () => {
  await post({ key: 'secret', payload: { password: 'correct horse' } });
  const rows = await db.selectFrom('idempotency_keys').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes('correct horse'));
  await committedRuns();
});

test('a key must consist of visible ASCII characters', async () => {
  for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) {
    const answer = await post({ key });
    assert.equal(answer.statusCode, 400, key);
    assert.match(answer.json().detail, /Idempotency-Key/);
  }
  assert.equal((await post({ key: '!'.repeat(255) })).statusCode, 201);
  assert.equal(await committedRuns(), 1);
});

test('requests with the same content are the same, and others are not', async () => {
  for (const [at, [one, other]] of [
    [{ any: ['x'] }, { any: { 0: 'x' } }],
    [{ any: [['x']] }, { any: [{ 0: 'x' }] }],
    [{ any: null }, { any: {} }],
    [{ any: { a: 1, b: 2 } }, { any: { a: 2, b: 1 } }],
    [{ any: 'ab' }, { any: ['a', 'b'] }],
    [{ any: ['a', 'b'] }, { any: ['b', 'a'] }],
  ].entries()) {
    const key = `words-${at}`;
    const answers = [];
    for (const payload of [one, one, other]) {
      answers.push(await post({ key, payload: payload ?? {} }));
    }
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [201, 201, 422],
      JSON.stringify(other),
    );
  }
  const [a, b] = [{ c: [1, { e: 2, f: 3 }] }, { c: [1, { f: 3, e: 2 }] }];
  const key = 'nested';
  const first = await post({ key, payload: { any: { a, b } } });
  const again = await post({ key, payload: { any: { b: a, a: b } } });
  assert.deepEqual([again.statusCode, again.body], [201, first.body]);
  await committedRuns();
});

test('a secret in a response is stored encrypted and replayed; without the key the rest is replayed', async () => {
  const secrets = { password: 'correct horse' };
  const answers: unknown[] = [];
  const ask = (api: App) => inject(api, { method: 'POST', url: '/v1/secret', headers: keyed });
  const keyed = { ...headers, 'idempotency-key': 'with-secret' };
  const routes = (api: App, { db: probed, secretKey }: Deps) => {
    const schema = { response: { 201: Type.Any() } };
    api.post('/secret', { config: { scope: 'servers:write' }, schema }, async (request, reply) => {
      const work = async () => ({ status: 201, body: { run: 1 }, secret: secrets });
      const answer = await idempotently(request, probed, secretKey, work);
      answers.push(answer);
      markAudited(request);
      return sendAnswer(reply, answer);
    });
  };
  const [same, other] = [
    await createTestApp(db, [routes]),
    await createTestApp(db, [routes], {
      secretKey: Object.assign(Object.create(testSecretKey), { open: () => undefined }),
    }),
  ];
  const bodies = [await ask(same), await ask(same), await ask(other)].map((one) => one.json());
  await Promise.all([same.close(), other.close()]);
  assert.deepEqual(bodies, [{ run: 1, ...secrets }, { run: 1, ...secrets }, { run: 1 }]);
  const [body, replayed] = [{ run: 1 }, { 'Idempotency-Replayed': 'true' }];
  assert.deepEqual(answers, [
    { status: 201, body, secret: secrets, headers: {} },
    { status: 201, body, secret: secrets, headers: replayed },
    { status: 201, body, headers: replayed },
  ]);
  const row = db.selectFrom('idempotency_keys').selectAll().where('key', '=', 'with-secret');
  const kept = await row.executeTakeFirstOrThrow();
  assert.deepEqual([kept.status, kept.headers, kept.body], [201, {}, body]);
  assert.ok(kept.secret && !kept.secret.includes('correct horse'));
});

test('work is prepared once, with or without a key, and not for a stored response', async () => {
  let prepared = 0;
  const routes = (api: App, { db: probed, secretKey }: Deps) => {
    const schema = { response: { 201: Type.Any() } };
    for (const [path, scope] of [
      ['/prepared', 'servers:write'],
      ['/open', 'public'],
    ] as const) {
      api.post(path, { config: { scope }, schema }, async (request, reply) => {
        const work = async (_: unknown, run: number) => ({ status: 201, body: { run } });
        const answer = await idempotently(request, probed, secretKey, work, async () => {
          prepared += 1;
          return prepared;
        });
        markAudited(request);
        return sendAnswer(reply, answer);
      });
    }
  };
  const api = await createTestApp(db, [routes]);
  const ask = async (more: object, url = '/v1/prepared') =>
    (await inject(api, { method: 'POST', url, headers: { ...headers, ...more } })).json().run;
  const key = { 'idempotency-key': 'prepared' };
  assert.deepEqual([await ask({}), await ask(key), await ask(key), await ask({})], [1, 2, 2, 3]);
  // Callers that are not authenticated have no stored responses.
  assert.deepEqual([await ask(key, '/v1/open'), await ask(key, '/v1/open')], [4, 5]);
  await api.close();
  const rows = db.selectFrom('idempotency_keys').select('caller').where('key', '=', 'prepared');
  assert.deepEqual(await rows.execute(), [{ caller: `token:${tokenId}` }]);
});

test('a request that can no longer be prepared gets the response that the first one got meanwhile', async () => {
  let isUsedUp = false;
  const entered = Promise.withResolvers<void>();
  const firstEnded = Promise.withResolvers<void>();
  const routes = (api: App, { db: probed, secretKey }: Deps) => {
    const schema = { response: { 201: Type.Any() } };
    api.post('/scarce', { config: { scope: 'servers:write' }, schema }, async (request, reply) => {
      const work = async () => {
        isUsedUp = true;
        return { status: 201, body: { run: 'first' } };
      };
      const answer = await idempotently(request, probed, secretKey, work, async () => {
        if (request.headers['x-request-id'] === 'second') {
          entered.resolve();
          await firstEnded.promise;
        }
        if (isUsedUp) throw new Problem('quota_exceeded', 'Used up.');
      });
      markAudited(request);
      return sendAnswer(reply, answer);
    });
  };
  const api = await createTestApp(db, [routes]);
  const ask = (more: Record<string, string>) =>
    inject(api, { method: 'POST', url: '/v1/scarce', headers: { ...headers, ...more } });
  const key = { 'idempotency-key': 'scarce' };
  const second = ask({ ...key, 'x-request-id': 'second' });
  await entered.promise;
  const first = await ask({ ...key, 'x-request-id': 'first' });
  firstEnded.resolve();
  const answers = [first, await second, await ask({ 'idempotency-key': 'scarce-too' })];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 201, 403],
  );
  assert.deepEqual(answers[1]?.json(), first.json());
  await api.close();
});

test('a request does not wait for the first one forever', async (t) => {
  const first = await pool.connect();
  const lock = 'select pg_advisory_lock(hashtextextended($1, 0))';
  await first.query(lock, [`idempotency token:${tokenId} slow`]);
  let now = performance.now();
  t.mock.method(performance, 'now', () => {
    now += 500;
    return now;
  });
  const answer = await post({ key: 'slow' });
  t.mock.restoreAll();
  first.release(true);
  const { code, detail } = answer.json();
  assert.deepEqual([answer.statusCode, code], [409, 'idempotency_in_progress']);
  assert.match(detail, /^The first request with this Idempotency-Key is still being processed/);
  assert.equal(answer.headers['retry-after'], '2');
  assert.equal(await committedRuns(), 0);
});

test('the responses to a user who is deleted, and to their tokens, are deleted', async () => {
  const users = [];
  for (const name of ['leaving', 'staying']) {
    const { id } = await db
      .insertInto('users')
      .values({ email: `${name}@example.com`, name })
      .returning('id')
      .executeTakeFirstOrThrow();
    const token = await createTestToken(db);
    await db.updateTable('tokens').set({ created_by: id }).where('id', '=', token.id).execute();
    users.push({ id, callers: [`user:${id}`, `token:${token.id}`] });
  }
  const [leaving, staying] = users;
  assert.ok(leaving && staying);
  await db.deleteFrom('idempotency_keys').execute();
  const all = [...leaving.callers, ...staying.callers, `token:${tokenId}`];
  const answer = {
    status: 200,
    headers: {},
    body: {},
    requestHmac: Buffer.alloc(32),
    secret: null,
  };
  await db.transaction().execute(async (trx) => {
    for (const caller of all) await storeAnswer(trx, caller, 'one', answer);
    await deleteAnswersTo(trx, leaving.id);
  });
  const left = await db.selectFrom('idempotency_keys').select('caller').execute();
  assert.deepEqual(
    left.map(({ caller }) => caller).toSorted(),
    [...staying.callers, `token:${tokenId}`].toSorted(),
  );
});

test('the secrets of the responses about a server are forgotten, and no others', async () => {
  const place = await installation(db);
  const [server = 0, other = 0] = [
    await enterServer(db, place, { hostname: 'forgotten', operation: 'create' }),
    await enterServer(db, place, { hostname: 'kept', operation: 'create' }),
  ];
  const secret = Buffer.from('encrypted');
  const answer = { status: 202, body: {}, requestHmac: Buffer.alloc(32), secret };
  const operationOf = async (id: number) => String((await operationUnderWay(db, id)).id);
  const stored: [key: string, headers: Record<string, string>][] = [
    ['about it', { 'Operation-Id': await operationOf(server) }],
    ['about no server', {}],
    ['about the other', { 'Operation-Id': await operationOf(other) }],
  ];
  const caller = `token:${(await createTestToken(db)).id}`;
  await db.transaction().execute(async (trx) => {
    for (const [key, of] of stored) await storeAnswer(trx, caller, key, { ...answer, headers: of });
    await forgetSecrets(trx, server);
  });
  const rows = db.selectFrom('idempotency_keys').select(['key', 'secret']);
  assert.deepEqual(await rows.where('caller', '=', caller).orderBy('key').execute(), [
    { key: 'about it', secret: null },
    { key: 'about no server', secret },
    { key: 'about the other', secret },
  ]);
});
