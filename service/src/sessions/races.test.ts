import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import { type Browser, createTestUser, goodPassword, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { hashPassword, known, passwordGate } from '../users/password.ts';
import { eraseUser, lockUser, updateUser } from '../users/queries.ts';
import { userRoutes } from '../users/routes.ts';
import { changeUser } from '../users/users.ts';
import { insertSession, listSessions } from './queries.ts';
import { sessionRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const nextPassword = 'velvet-harbour-Monday-badger';
let app: App;
let admin: Record<string, string>;
let nextHash: string;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, userRoutes]);
  ({ headers: admin } = await createTestToken(db));
  nextHash = await hashPassword(nextPassword);
});
after(() => app.close());

let user: Awaited<ReturnType<typeof createTestUser>>;
let mine: Browser;
beforeEach(async () => {
  user = await createTestUser(db);
  mine = await signInAs(app, user.credentials);
});

const signIn = () => inject(app, { method: 'POST', url: '/v1/session', payload: user.credentials });
const changeOwn = () =>
  mine.ask('PUT', '/session/password', {
    body: { password: goodPassword, new_password: 'a-third-one-of-oak-and-slate' },
  });
const sessions = () => listSessions(db, user.id).page(undefined, 100);
const reset = (trx: Trx) => changeUser(trx, user.id, {}, { passwordHash: nextHash, ownId: null });
const erase = async (trx: Trx) => {
  await lockUser(trx, user.id);
  await eraseUser(trx, user.id);
};

test('a sign-in with the old password fails while the password is changed', async () => {
  const answer = await amid(db, reset, signIn);
  assert.deepEqual([answer.statusCode, answer.json().code], [401, 'sign_in_failed']);
  assert.deepEqual(await sessions(), []);
});

test('a sign-in while the user is disabled creates no session, even if they are enabled again', async () => {
  const shutOut = (trx: Trx) => changeUser(trx, user.id, { is_disabled: true }, { ownId: null });
  assert.equal((await amid(db, shutOut, signIn)).statusCode, 401);
  await db.transaction().execute((trx) => updateUser(trx, user.id, { isDisabled: false }));
  assert.deepEqual(await sessions(), []);
});

test('a sign-in while the user is deleted creates no session', async () => {
  assert.equal((await amid(db, erase, signIn)).statusCode, 401);
  const rows = await db.selectFrom('sessions').selectAll().where('user_id', '=', user.id).execute();
  assert.deepEqual(rows, []);
});

test('a user who is deleted during a change of their password stays deleted', async () => {
  const answer = await amid(db, erase, changeOwn);
  assert.equal(answer.statusCode, 422, answer.body);
  const row = await db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirst();
  assert.ok(row?.deleted_at);
  assert.equal(row.password_hash, null);
});

test('a change of the password does not restore a deleted user', async () => {
  await db.transaction().execute(erase);
  await db.transaction().execute((trx) => updateUser(trx, user.id, { name: 'Back' }));
  const row = await db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirst();
  assert.ok(row?.deleted_at);
  assert.equal(row.name, '');
});

test('of two concurrent changes of a password, the one with the old password fails', async () => {
  const answer = await amid(db, reset, changeOwn);
  assert.equal(answer.statusCode, 422);
  assert.equal(answer.json().errors[0].pointer, '/password');
  await signInAs(app, { ...user.credentials, password: nextPassword });
});

test('signing out everywhere also ends a session that is being created', async () => {
  const begin = async (trx: Trx) => {
    await lockUser(trx, user.id);
    const hash = Buffer.from(`just begun ${user.id}`);
    await insertSession(trx, { hash, userId: user.id, address: '127.0.0.1', userAgent: '' });
  };
  const answer = await amid(db, begin, () => mine.ask('DELETE', '/sessions'));
  assert.deepEqual(answer.json(), { ended: 2, tokens_left: 0 });
});

test('a sign-in beyond the limit of concurrent ones gets a Retry-After', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Array.from({ length: 34 }, () =>
    passwordGate.run(known('127.0.0.1'), () => promise),
  );
  const answer = await signIn();
  resolve();
  await Promise.all(held);
  assert.deepEqual([answer.statusCode, answer.json().code], [503, 'unavailable']);
  assert.equal(answer.headers['retry-after'], '2');
  assert.equal((await signIn()).statusCode, 201);
});

test('no transaction is open while a password is hashed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = [1, 2].map(() => passwordGate.run('flood', () => promise));
  const url = `/v1/users/${user.id}`;
  const payload = { password: nextPassword };
  const asked = [
    inject(app, { method: 'PATCH', url, headers: admin, payload }),
    inject(app, {
      method: 'POST',
      url: '/v1/users',
      headers: { ...admin, 'idempotency-key': 'hashed' },
      payload: { email: `new-${user.email}`, ...payload },
    }),
    changeOwn(),
    signIn(),
  ];
  await until('all wait', () => passwordGate.waiting === asked.length);
  const { rows } = await sql`
    select query from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and state like 'idle in transaction%'`.execute(db);
  const { waiting } = passwordGate;
  resolve();
  await Promise.all([...held, ...asked]);
  assert.deepEqual([waiting, rows], [asked.length, []]);
});
