import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { Piscina } from 'piscina';
import type { ServerStatus } from '../../db/schema/schema.ts';
import { hashPassword } from '../../guests/password-hash.ts';
import { operationSecrets } from '../../keys/places.ts';
import { isOfServer } from '../../operations/queries.ts';
import { testSecretKey } from '../../testing/app.ts';
import { allRows } from '../../testing/canaries.ts';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { until } from '../../testing/until.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { type PasswordSecrets, setPasswordOperation } from '../operations/set-password.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const { db, place, ask, finish, fail, close } = await createWholeApp({ log });
after(close);

const password = 'Canary-Password-4720';
const enter = (status: ServerStatus = 'started', operation?: string) =>
  enterServer(db, place, { status, ...(operation && { operation }) });
const set = (id: number, options: Record<string, unknown> = {}) =>
  ask('POST', `/servers/${id}/password`, options);

/** The hash that the worker would get. */
async function hashFor(serverId: number): Promise<string> {
  const { id, secrets } = await operationUnderWay(db, serverId);
  assert.ok(secrets);
  const place = operationSecrets(serverId, id);
  return testSecretKey.open<PasswordSecrets>(place, secrets)?.passwordHash ?? '';
}

async function isHashOf(serverId: number, text: string): Promise<boolean> {
  const hash = await hashFor(serverId);
  const [, , salt = ''] = hash.split('$');
  return hash === (await hashPassword(text, salt));
}

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=*$/, '');
const hex = (text: string) => Buffer.from(text).toString('hex');

/** Neither the text nor a hash is in any row, in the log or in the metrics. */
async function isNowhere(text: string): Promise<void> {
  const dump = await allRows(db);
  assert.ok(dump.includes('set_password'), 'the dump is of the right database');
  const metrics = await ask('GET', '/metrics', { prefix: '' });
  for (const [where, shown] of Object.entries({
    dump,
    log: lines.join(''),
    metrics: metrics.body,
  })) {
    for (const secret of [text, hex(text), base64(text), '$6$', hex('$6$')]) {
      assert.ok(!shown.includes(secret), `${secret} is in the ${where}`);
    }
  }
}

/** What anybody can read about a server and its operations. */
async function readable(id: number, operation: number): Promise<string> {
  const answers = [
    await ask('GET', `/servers/${id}`),
    await ask('GET', `/servers/${id}/status`),
    await ask('GET', `/operations/${operation}`),
    await ask('GET', `/operations?server_id=${id}`),
    await ask('GET', `/audit?target_kind=server&target_id=${id}`),
  ];
  return answers.map(({ body }) => body).join('\n');
}

test('no password is hashed for a request that is refused', async (t) => {
  const hashing = t.mock.method(Piscina.prototype, 'run');
  const suspended = await enter();
  const suspension = { suspended_at: new Date(), suspension_reason: 'It sends spam.' };
  await db.updateTable('servers').set(suspension).where('id', '=', suspended).execute();
  const working = await enter('started', 'stop');
  const refusal = async (id: number, path: string, body: object) =>
    (await ask('POST', `/servers/${id}/${path}`, { body })).json().code;
  for (const [id, code] of [
    [999_999, 'server_not_found'],
    [suspended, 'suspended'],
    [working, 'operation_in_progress'],
  ] as const) {
    assert.equal(await refusal(id, 'password', { password }), code);
    const rebuild = { password, initialCommands: [], erase: true };
    assert.equal(await refusal(id, 'rebuild', rebuild), code);
  }
  const paused = await enter('paused');
  assert.equal(await refusal(paused, 'password', { password }), 'password_not_settable');
  assert.equal(hashing.mock.callCount(), 0);
});

test('a given password is handed to the worker as a hash, and is nowhere else', async () => {
  for (const status of ['started', 'stopped'] as const) {
    const id = await enter(status);
    const answer = await set(id, { body: { password }, 'idempotency-key': `given-${status}` });
    assert.equal(answer.statusCode, 202);
    const { message, operation, ...rest } = answer.json();
    assert.equal(message, 'The password of root is being set.');
    assert.deepEqual(Object.keys(rest), ['operation_id']);
    assert.ok(await isHashOf(id, password));
    assert.deepEqual((await operationUnderWay(db, id)).state, {});
    assert.ok(!(await readable(id, operation.id)).includes('Canary'));
    await isNowhere(password);
    await finish(id, status);
    const { secrets } = await db
      .selectFrom('operations')
      .select('secrets')
      .where('id', '=', operation.id)
      .executeTakeFirstOrThrow();
    assert.equal(secrets, null);
    await isNowhere(password);
  }
});

test('a generated password is only in the response, and in its replay', async () => {
  const id = await enter();
  const key = { 'idempotency-key': 'generated' };
  const [first, again] = [await set(id, key), await set(id, key)];
  const { password: generated, operation } = first.json();
  assert.match(generated, /^[a-z2-9]{24}$/);
  assert.deepEqual(again.json(), first.json());
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.ok(await isHashOf(id, generated));
  assert.ok(!(await readable(id, operation.id)).includes(generated));
  await isNowhere(generated);
  await finish(id, 'started');
  const other = (await set(id, { body: {} })).json().password;
  assert.notEqual(other, generated);
  assert.ok(await isHashOf(id, other));
  await isNowhere(other);
});

test('with Prefer: wait, the response has the generated password and the result', async () => {
  const id = await enter();
  const asked = set(id, { prefer: 'wait=60', 'idempotency-key': 'waited' });
  const look = () => operationUnderWay(db, id).catch(() => undefined);
  await until('it is being set', look);
  const hash = await hashFor(id);
  await finish(id, 'started');
  const { message, operation, password: generated } = (await asked).json();
  assert.deepEqual([message, operation.status], ['It is done.', 'succeeded']);
  const [, , salt = ''] = hash.split('$');
  assert.equal(await hashPassword(generated, salt), hash);
  const replayed = await set(id, { 'idempotency-key': 'waited' });
  assert.equal(replayed.json().password, generated);
  await isNowhere(generated);
});

test('with Prefer: wait, a generated password that could not be set is neither shown nor kept', async () => {
  const id = await enter();
  const key = { 'idempotency-key': 'failed' };
  const asked = set(id, { prefer: 'wait=60', ...key });
  await until('it is being set', () => operationUnderWay(db, id).catch(() => undefined));
  await fail(id, 'password_not_set', 'Its guest has no chpasswd.');
  const [failed, replayed] = [await asked, await set(id, key)];
  for (const answer of [failed, replayed]) {
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'password_not_set']);
    assert.equal(answer.json().password, undefined);
  }
  assert.equal(replayed.headers['idempotency-replayed'], 'true');
  const kept = await db
    .selectFrom('idempotency_keys')
    .select('secret')
    .where('key', '=', 'failed')
    .execute();
  assert.deepEqual(kept, [{ secret: null }]);
});

const isNotKept = async (key: string) => {
  const { secret } = await db
    .selectFrom('idempotency_keys')
    .select('secret')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return secret === null;
};

test('with Prefer: wait, a generated password that may have been set is in the error, and its replay', async () => {
  for (const code of ['deadline_exceeded', 'password_unconfirmed', 'engine_failed']) {
    const id = await enter();
    const key = { 'idempotency-key': `unsure-${code}` };
    const asked = set(id, { prefer: 'wait=60', ...key });
    await until('it is being set', () => operationUnderWay(db, id).catch(() => undefined));
    const hash = await hashFor(id);
    await fail(id, code, 'It took too long.');
    const [failed, replayed] = [await asked, await set(id, key)];
    for (const answer of [failed, replayed]) {
      const { code: shown, detail, password: generated } = answer.json();
      assert.equal(shown, code);
      assert.match(detail, /It may have been set, so this response has the password/);
      assert.equal(await hashPassword(generated, hash.split('$')[2] ?? ''), hash);
      await isNowhere(generated);
    }
    assert.equal(replayed.headers['idempotency-replayed'], 'true');
  }
});

test('a generated password is forgotten once it is known not to be set', async () => {
  for (const code of ['password_not_set', 'guest_paused', 'instance_missing', 'engine_failed']) {
    const id = await enter();
    const key = { 'idempotency-key': `forgotten-${code}` };
    assert.match((await set(id, key)).json().password, /./);
    const operation = await operationUnderWay(db, id);
    assert.ok(isOfServer(operation));
    await fail(id, code, 'It failed.');
    await db.transaction().execute(async (trx) => {
      const error = { code, message: 'It failed.' };
      await setPasswordOperation.failed(trx, { ...operation, error }, error.message);
    });
    const isKept = code === 'engine_failed';
    assert.equal(await isNotKept(key['idempotency-key']), !isKept);
    const replayed = (await set(id, key)).json();
    assert.deepEqual([replayed.operation.id, 'password' in replayed], [operation.id, isKept]);
  }
});

test('a generated password is forgotten when another one is requested, or the server is deleted', async () => {
  const others = await enter();
  assert.equal((await set(others, { 'idempotency-key': 'of-another' })).statusCode, 202);
  for (const [name, next] of [
    ['replaced', (id: number) => set(id, { body: { password } })],
    ['deleted', (id: number) => ask('DELETE', `/servers/${id}`)],
  ] as const) {
    const id = await enter();
    assert.equal((await set(id, { 'idempotency-key': name })).statusCode, 202);
    await finish(id, 'started');
    assert.equal(await isNotKept(name), false);
    assert.equal((await next(id)).statusCode, 202);
    assert.equal(await isNotKept(name), true);
  }
  assert.equal(await isNotKept('of-another'), false);
});

test('an invalid password is refused, and not repeated', async () => {
  const id = await enter();
  for (const wrong of [`${password}\0`, password.repeat(7), 'short', [password], null]) {
    const answer = await set(id, { body: { password: wrong } });
    assert.equal(answer.statusCode, 422, String(wrong));
    assert.ok(!answer.body.includes('Canary'));
    const errors: { pointer: string }[] = answer.json().errors;
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      ['/password'],
    );
  }
});

test('in other states it is refused, with what is possible', async () => {
  for (const status of ['paused', 'error'] as const) {
    const id = await enter(status);
    const answer = await set(id);
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'password_not_settable']);
    assert.equal(
      answer.json().detail,
      'The password can be set while the server is started or stopped; ' +
        `this server is in the ${status} state. GET /v1/servers/${id} shows what it accepts now (\`allowed_actions\`).`,
    );
  }
  for (const kind of ['create', 'start', 'stop', 'set_password']) {
    const answer = await set(await enter('started', kind));
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'operation_in_progress']);
  }
});

test('the audit log says whether it was generated', async () => {
  for (const [body, generated] of [
    [{ password }, false],
    [undefined, true],
  ] as const) {
    const id = await enter();
    assert.equal((await set(id, { body })).statusCode, 202);
    const [entry] = (await ask('GET', `/audit?target_kind=server&target_id=${id}`)).json();
    assert.deepEqual([entry.action, entry.details], ['server_password', { generated }]);
  }
});
