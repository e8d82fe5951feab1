import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { noCredentialCache } from '../callers/credential-cache.ts';
import { createLimiter } from '../limits/limiter.ts';
import { Problem } from '../problems/problem.ts';
import { createTestApp, createTestToken, generousLimits } from '../testing/app.ts';
import { createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { type Change, change, changesNothing, type Outcome } from './change.ts';

const { db, close } = await createTestDatabase();
after(close);

/** The work of the next changes, and the number of its runs. */
let work: (change: Change) => Promise<Outcome<unknown>>;
let runs = 0;
let prepared = 0;
/** How often the cache of credentials was cleared. */
let cleared = 0;

function probeRoutes(api: App, deps: Deps): void {
  const schema = { operationId: 'probe', response: { '2xx': Type.Any() } };
  const config = { scope: 'servers:write', needsConfirmation: false } as const;
  for (const [method, url, scope] of [
    ['POST', '/probe', 'servers:write'],
    ['DELETE', '/probe', 'servers:write'],
    ['POST', '/sign-in', 'public'],
  ] as const) {
    api.route({
      ...{ method, url, config: { ...config, scope }, schema },
      handler: async (request, reply) => {
        const answer = await change(
          request,
          deps,
          async (made, words: string) => {
            assert.equal(words, 'prepared');
            runs += 1;
            return await work(made);
          },
          async () => {
            prepared += 1;
            return 'prepared';
          },
        );
        return reply.code(answer.status).headers(answer.headers).send(answer.body);
      },
    });
  }
  api.post('/nothing', { config, schema }, (request) =>
    changesNothing(request, Promise.resolve({ done: true })),
  );
}

let app: App;
let token: Awaited<ReturnType<typeof createTestToken>>;
before(async () => {
  const clear = () => {
    cleared += 1;
  };
  const credentials = { ...noCredentialCache, clear };
  const limiter = createLimiter({ ...generousLimits, changes: { burst: 2, perSecond: 1e-9 } });
  app = await createTestApp(db, [probeRoutes], { credentials, limiter });
});
after(() => app.close());
beforeEach(async () => {
  token = await createTestToken(db, { scopes: ['servers:write'] });
  [runs, prepared, cleared] = [0, 0, 0];
});

const done = { status: 200, body: { done: true }, target: null };
const ask = (method: InjectOptions['method'] = 'POST', more: object = {}, path = 'probe') =>
  app.inject({
    method: method ?? 'POST',
    url: `/v1/${path}`,
    headers: { ...token.headers, ...more },
  });

const entries = () =>
  db
    .selectFrom('audit_log')
    .select(['action', 'project_id', 'user_id', 'target_kind', 'target_id', 'status', 'details'])
    .where('token_id', '=', token.id)
    .orderBy('id')
    .execute();

test('a change is entered with its target, in the history of the target', async () => {
  const own = token.projectId;
  const user = await db
    .insertInto('users')
    .values({ email: 'eve@example.com', name: 'Eve' })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const [outcome, project_id, rest] of [
    [{ target: null }, null, {}],
    [{ target: { kind: 'server', id: 41 } }, own, {}],
    [{ target: { kind: 'project', id: 42 } }, 42, {}],
    [{ target: { kind: 'location', id: 43 } }, null, {}],
    [{ target: { kind: 'location', id: 43 }, projectId: 44 }, 44, {}],
    [{ target: null, userId: user.id }, null, { user_id: user.id }],
    [
      { target: null, status: 201, details: { name: 'x' } },
      null,
      { status: 201, details: { name: 'x' } },
    ],
  ] as const) {
    token = await createTestToken(db, { scopes: ['servers:write'] });
    work = async () => ({ ...done, ...outcome });
    const answer = await ask();
    const { status = 200 } = rest as { status?: number };
    assert.deepEqual([answer.statusCode, answer.json()], [status, done.body], answer.body);
    const target = {
      target_kind: outcome.target?.kind ?? null,
      target_id: outcome.target?.id ?? null,
    };
    assert.deepEqual(await entries(), [
      {
        action: 'probe',
        project_id,
        user_id: null,
        ...target,
        status: 200,
        details: null,
        ...rest,
      },
    ]);
  }
});

test('a change of several objects has an entry for each, and counts as so many changes', async () => {
  const part = (id: number) => ({
    action: 'server_start' as const,
    target: { kind: 'server' as const, id },
    details: {},
  });
  work = async () => ({ ...done, parts: [] });
  assert.equal((await ask()).statusCode, 200);
  assert.deepEqual(await entries(), []);
  assert.equal(cleared, 0);
  work = async () => ({ ...done, parts: [part(41), part(42), part(43)] });
  assert.equal((await ask()).statusCode, 200);
  const entered = await entries();
  assert.deepEqual(
    entered.map(({ action, project_id, target_id }) => [action, project_id, target_id]),
    [41, 42, 43].map((id) => ['server_start', token.projectId, id]),
  );
  work = async () => done;
  assert.equal((await ask()).json().code, 'rate_limited');
});

test('a failed change is undone completely, including queries of its project', async () => {
  work = async ({ trx, project }) => {
    assert.equal(project.id, token.projectId);
    await trx.updateTable('projects').set({ name: 'changed' }).execute();
    await project.update('tokens').set({ name: 'changed' }).execute();
    throw new Problem('no_capacity', 'No.');
  };
  assert.equal((await ask()).json().code, 'no_capacity');
  const changed = [
    await db.selectFrom('projects').select('id').where('name', '=', 'changed').execute(),
    await db.selectFrom('tokens').select('id').where('name', '=', 'changed').execute(),
  ];
  assert.deepEqual(changed, [[], []]);
});

test('only changes that affect authentication or authorization clear the cache of credentials', async () => {
  for (const [kind, times] of [
    ['token', 1],
    ['user', 1],
    ['project', 1],
    ['server', 0],
    ['location', 0],
    [null, 0],
  ] as const) {
    for (const method of ['POST', 'DELETE'] as const) {
      token = await createTestToken(db, { scopes: ['servers:write'] });
      cleared = 0;
      work = async () => ({ ...done, target: kind && { kind, id: 1 } });
      assert.equal((await ask(method)).statusCode, 200);
      assert.equal(cleared, times, `${method} ${kind}`);
    }
  }
  cleared = 0;
  work = () => Promise.reject(new Problem('no_capacity', 'No.'));
  assert.equal((await ask()).statusCode, 409);
  assert.equal(cleared, 0, 'nothing was changed');
});

test('beyond the limit, no change begins except the removal of access', async () => {
  work = async () => ({ ...done, target: { kind: 'server', id: 1 } });
  const statuses = async (method: 'POST' | 'DELETE', times: number) => {
    const answers = [];
    for (let time = 0; time < times; time += 1) answers.push((await ask(method)).statusCode);
    return answers;
  };
  assert.deepEqual(await statuses('POST', 3), [200, 200, 429]);
  assert.deepEqual([runs, prepared], [2, 2], 'nothing is prepared for a change that is refused');
  // The target of a removal is known only after it was done.
  assert.deepEqual(await statuses('DELETE', 1), [429]);
  assert.equal(runs, 3);
  work = async () => ({ ...done, target: { kind: 'token', id: 1 } });
  assert.deepEqual(await statuses('DELETE', 2), [200, 200]);
  assert.deepEqual(await statuses('POST', 1), [429]);
  assert.equal((await entries()).filter(({ status }) => status === 200).length, 4);

  token = await createTestToken(db, { scopes: ['servers:write'] });
  assert.deepEqual(await statuses('DELETE', 2), [200, 200]);
  assert.deepEqual(await statuses('POST', 1), [429], 'removals of access are also counted');
});

test('sign-ins beyond the limit are refused', async () => {
  const { id } = await createTestUser(db);
  work = async () => ({ ...done, target: { kind: 'user', id }, userId: id });
  for (const wanted of [200, 200, 429]) {
    assert.equal((await app.inject({ method: 'POST', url: '/v1/sign-in' })).statusCode, wanted);
  }
  const entered = db.selectFrom('audit_log').select('status').where('user_id', '=', id);
  assert.deepEqual(await entered.execute(), [{ status: 200 }, { status: 200 }]);
});

test('a change whose transaction runs again is counted once', async (t) => {
  // As if a statement no longer fitted the tables, after the change was counted.
  await sql`create sequence times_entered`.execute(db);
  await sql`create function is_unfit() returns trigger language plpgsql as $$ begin
    if nextval('times_entered') = 2 then
      raise exception 'prepared statement does not exist' using errcode = '26000';
    end if;
    return new;
  end $$`.execute(db);
  await sql`create trigger is_unfit before insert on audit_entries
    for each row when (new.status = 200) execute function is_unfit()`.execute(db);
  t.after(() => sql`drop function is_unfit cascade`.execute(db));
  work = async () => done;
  // This is the last one that the limit allows.
  for (const wanted of [200, 200, 429]) assert.equal((await ask()).statusCode, wanted);
  assert.equal(runs, 3);
  assert.equal((await entries()).filter(({ status }) => status === 200).length, 2);
});

test('a replayed answer neither prepares nor changes anything', async () => {
  work = async () => ({ ...done, headers: { Location: '/x' }, target: { kind: 'token', id: 1 } });
  const key = { 'idempotency-key': 'again' };
  const [first, again] = [await ask('POST', key), await ask('POST', key)];
  assert.deepEqual(
    [first, again].map(({ headers }) => [headers.location, headers['idempotency-replayed']]),
    [
      ['/x', undefined],
      ['/x', 'true'],
    ],
  );
  assert.deepEqual(again.json(), first.json());
  assert.deepEqual([runs, prepared, cleared], [1, 1, 1]);
  assert.equal((await entries()).length, 1);
});

test('a stored failure is a failure again, whatever its status', async () => {
  work = async () => done;
  const key = { 'idempotency-key': 'failed' };
  await ask('POST', key);
  const operation = { id: 7, status: 'failed', error: null };
  for (const [status, code] of [
    [400, 'malformed_request'],
    [409, 'no_capacity'],
  ] as const) {
    const body = { code, detail: 'It failed.', operation };
    const headers = { 'Operation-Id': '7' };
    await db
      .updateTable('idempotency_keys')
      .set({ status, headers: JSON.stringify(headers), body: JSON.stringify(body) })
      .where('caller', '=', `token:${token.id}`)
      .execute();
    const again = await ask('POST', key);
    const { code: shown, detail, operation: of, request_id: id } = again.json();
    assert.deepEqual(
      [again.statusCode, shown, detail, of],
      [status, code, 'It failed.', operation],
    );
    assert.equal(id, again.headers['x-request-id']);
    assert.equal(again.headers['operation-id'], '7');
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
  assert.equal(runs, 1);
});

test('a request that changes nothing gets a response and no entry', async () => {
  const answer = await ask('POST', {}, 'nothing');
  assert.deepEqual([answer.statusCode, answer.json()], [200, { done: true }]);
  assert.deepEqual(await entries(), []);
});
