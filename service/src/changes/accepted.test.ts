import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Accepted } from '@berth/contract/operations';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import type { WaitedOperation } from '../operations/queries.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { accepted, sendAccepted, type WaitingDeps } from './accepted.ts';
import { change } from './change.ts';

const { db, close } = await createTestDatabase();
after(close);

const pending = { id: 7, status: 'pending', error: null } as const;
const operation: WaitedOperation = {
  ...pending,
  kind: 'start',
  server_id: 4,
  message: 'The server is running.',
  progress: 0,
  attempts: 0,
};

const password = 'canary-5512';

/** The result of a wait for the operation; undefined if it is not in the records. */
let outcome: WaitedOperation | undefined;
let waits: [id: number, seconds: number][] = [];

function probeRoutes(api: App, deps: WaitingDeps): void {
  const schema = { response: { 202: Type.Any() } };
  const config = { scope: 'servers:write' } as const;
  const lastingSecret = { unless: ['password_not_set'], words: 'It may be set.' } as const;
  for (const [path, secret, lasting] of [
    ['/secret', { password }, lastingSecret],
    ['/fleeting', { password }, undefined],
    ['/secretless', undefined, lastingSecret],
  ] as const) {
    api.post(path, { config, schema }, async (request, reply) => {
      const answer = await change<Accepted>(request, deps, async () => ({
        ...accepted('The password is being set.', pending),
        ...(secret && { secret }),
        target: null,
      }));
      return await sendAccepted(deps, request, reply, answer, lasting);
    });
  }
  api.post('/probe', { config: { scope: 'servers:write' }, schema }, async (request, reply) => {
    const answer = await change<Accepted>(request, deps, async () => ({
      ...accepted('The server is being started.', pending),
      target: null,
    }));
    return await sendAccepted(deps, request, reply, answer);
  });
}

let app: App;
let headers: Record<string, string>;
before(async () => {
  const untilEnded = async (id: number, seconds: number) => {
    waits.push([id, seconds]);
    return outcome;
  };
  app = await createTestApp(db, [probeRoutes], { untilEnded });
  ({ headers } = await createTestToken(db));
});
after(() => app.close());
beforeEach(() => {
  outcome = undefined;
  waits = [];
});

const ask = (more: Record<string, string> = {}) =>
  inject(app, { method: 'POST', url: '/v1/probe', headers: { ...headers, ...more } });
const wait = { prefer: 'wait=5' };
const acceptedBody = {
  message: 'The server is being started.',
  operation_id: 7,
  operation: pending,
};

test('without a wait, the response has the operation at once', async () => {
  const answer = await ask();
  assert.deepEqual([answer.statusCode, answer.json()], [202, acceptedBody]);
  assert.equal(answer.headers['operation-id'], '7');
  assert.equal(answer.headers['preference-applied'], undefined);
  assert.deepEqual(waits, []);
});

test('with a wait, the response has the result of the operation', async () => {
  outcome = { ...operation, status: 'succeeded' };
  const answer = await ask(wait);
  assert.deepEqual(
    [answer.statusCode, answer.json()],
    [
      202,
      {
        message: 'The server is running.',
        operation_id: 7,
        operation: { ...pending, status: 'succeeded' },
      },
    ],
  );
  assert.equal(answer.headers['operation-id'], '7');
  assert.equal(answer.headers['preference-applied'], 'wait=5');
  assert.deepEqual(waits, [[7, 5]]);
});

test('for an operation that is not in the records, the response is that of the acceptance', async () => {
  const answer = await ask(wait);
  assert.deepEqual([answer.statusCode, answer.json()], [202, acceptedBody]);
  assert.equal(answer.headers['preference-applied'], 'wait=5');
});

test('a result is replayed under the key, without another wait', async () => {
  const keyed = { ...wait, 'idempotency-key': 'succeeded' };
  outcome = { ...operation, status: 'succeeded' };
  const first = await ask(keyed);
  outcome = undefined;
  const again = await ask(keyed);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(again.headers['operation-id'], '7');
  assert.deepEqual([again.statusCode, again.json()], [202, first.json()]);
  assert.equal(waits.length, 1);
});

test('an operation in progress is not replayed as a result', async () => {
  const keyed = { ...wait, 'idempotency-key': 'running' };
  outcome = { ...operation, status: 'running', message: 'It is in progress.' };
  const running = { ...pending, status: 'running' };
  const { message } = outcome;
  assert.deepEqual((await ask(keyed)).json(), { ...acceptedBody, message, operation: running });
  const { 'idempotency-key': key } = keyed;
  assert.deepEqual((await ask({ 'idempotency-key': key })).json(), acceptedBody);
  outcome = { ...operation, status: 'succeeded' };
  assert.equal((await ask(keyed)).json().operation.status, 'succeeded');
  assert.equal(waits.length, 2);
});

test('a failure is a problem, which is replayed under the key', async () => {
  const keyed = { ...wait, 'idempotency-key': 'failed' };
  const detail = 'The guest did not start.';
  const error = { code: 'engine_failed', message: detail };
  outcome = { ...operation, status: 'failed', message: detail, error } as WaitedOperation;
  const first = await ask(keyed);
  outcome = undefined;
  const again = await ask(keyed);
  const { request_id: firstId, ...problem } = first.json();
  const { request_id: againId, ...sameProblem } = again.json();
  assert.ok(first.statusCode >= 400, first.body);
  assert.equal(problem.detail, detail);
  assert.equal(problem.operation.status, 'failed');
  assert.deepEqual(sameProblem, problem);
  assert.equal(againId, again.headers['x-request-id']);
  assert.notEqual(againId, firstId);
  for (const { statusCode, headers: sent } of [first, again]) {
    assert.deepEqual([statusCode, sent['operation-id']], [first.statusCode, '7']);
  }
  assert.equal(first.headers['idempotency-replayed'], undefined);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(waits.length, 1);
  const rows = db.selectFrom('idempotency_keys').select('body').where('key', '=', 'failed');
  const { body } = await rows.executeTakeFirstOrThrow();
  assert.ok(!Object.hasOwn(body as object, 'request_id'));
});

test('a stored response of the previous release, which has no operation, is completed', async () => {
  const keyed = { 'idempotency-key': 'before' };
  await ask(keyed);
  await sql`update idempotency_keys set body = body - 'operation' where key = 'before'`.execute(db);
  const again = await ask(keyed);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual(again.json(), acceptedBody);
});

test('a result replaces no other stored response', async () => {
  const stranger = await createTestToken(db);
  const started = (key: string, more = {}) => ask({ 'idempotency-key': key, ...more });
  await started('replaced');
  await started('kept');
  await started('replaced', stranger.headers);
  outcome = { ...operation, status: 'succeeded' };
  const ended = await started('replaced', wait);
  assert.equal(ended.json().operation.status, 'succeeded');
  outcome = undefined;
  assert.deepEqual((await started('replaced')).json(), ended.json());
  assert.deepEqual((await started('kept')).json(), acceptedBody);
  assert.deepEqual((await started('replaced', stranger.headers)).json(), acceptedBody);
});

test('a failure after the operation was accepted is in the audit log once, as accepted', async () => {
  const error = { code: 'engine_failed', message: 'The guest did not start.' };
  outcome = { ...operation, status: 'failed', error } as WaitedOperation;
  const { id, headers: own } = await createTestToken(db);
  const failing = await createTestApp(db, [probeRoutes], { untilEnded: async () => outcome });
  const post = { method: 'POST', url: '/v1/probe', headers: { ...own, ...wait } } as const;
  assert.equal((await inject(failing, post)).statusCode, 502);
  // Refusals have been entered by now.
  await failing.close();
  const entries = db.selectFrom('audit_log').select('status').where('token_id', '=', id);
  assert.deepEqual(await entries.execute(), [{ status: 202 }]);
});

test('a secret that may be valid after a failure is in the error, and stored encrypted', async () => {
  for (const [code, status] of [
    ['deadline_exceeded', 'failed'],
    ['operation_superseded', 'superseded'],
    ['password_not_set', 'failed'],
  ] as const) {
    const isKept = code !== 'password_not_set';
    const error = status === 'failed' ? { code, message: 'It failed.' } : null;
    outcome = { ...operation, status, message: 'It failed.', error } as WaitedOperation;
    const keyed = { ...headers, ...wait, 'idempotency-key': code };
    const post = () => inject(app, { method: 'POST', url: '/v1/secret', headers: keyed });
    for (const answer of [await post(), await post()]) {
      const problem = answer.json();
      assert.deepEqual([problem.code, problem.password], [code, isKept ? password : undefined]);
      assert.equal(problem.detail, isKept ? 'It failed. It may be set.' : 'It failed.');
      assert.equal(problem.operation.status, status);
    }
    const rows = db.selectFrom('idempotency_keys').selectAll().where('key', '=', code);
    const row = await rows.executeTakeFirstOrThrow();
    assert.equal(row.secret !== null, isKept);
    assert.ok(!JSON.stringify(row).includes(password));
  }
});

test('an error has no secret if none is valid after a failure, or if there is none', async () => {
  const error = { code: 'deadline_exceeded', message: 'It failed.' };
  outcome = { ...operation, status: 'failed', message: 'It failed.', error } as WaitedOperation;
  for (const path of ['fleeting', 'secretless']) {
    const keyed = { ...headers, ...wait, 'idempotency-key': path };
    const failed = await inject(app, { method: 'POST', url: `/v1/${path}`, headers: keyed });
    const { code, detail, password: shown } = failed.json();
    assert.deepEqual([code, detail, shown], [error.code, 'It failed.', undefined], path);
    const rows = db.selectFrom('idempotency_keys').select('secret').where('key', '=', path);
    assert.deepEqual(await rows.execute(), [{ secret: null }]);
  }
});

test('a result is replayed with the secret of the response', async () => {
  outcome = { ...operation, status: 'succeeded' };
  const keyed = { ...headers, ...wait, 'idempotency-key': 'with-secret' };
  const post = () => inject(app, { method: 'POST', url: '/v1/secret', headers: keyed });
  for (const isReplayed of [undefined, 'true']) {
    const answer = await post();
    const { message, password: shown } = answer.json();
    assert.deepEqual([message, shown], [operation.message, password]);
    assert.equal(answer.headers['idempotency-replayed'], isReplayed);
  }
});
