import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser, goodPassword, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { userRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let headers: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, tokenRoutes, userRoutes]);
  ({ headers } = await createTestToken(db));
});
after(() => app.close());

const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
  inject(app, { method, url: `/v1${path}`, headers, ...(payload && { payload }) });

test('an administrator creates, reads, updates and deletes a user', async () => {
  const made = await ask('POST', '/users', { email: 'ada@example.com', password: goodPassword });
  assert.equal(made.statusCode, 201, made.body);
  const { id, name, is_admin, has_password, enabled } = made.json();
  assert.deepEqual([name, is_admin, has_password, enabled], ['ada', false, true, true]);
  assert.equal(made.headers.location, `/v1/users/${id}`);
  assert.deepEqual((await ask('GET', `/users/${id}`)).json(), made.json());
  assert.deepEqual((await ask('GET', '/users')).json(), [made.json()]);
  const changed = await ask('PATCH', `/users/${id}`, { name: 'Ada', email: 'ADA@example.org' });
  assert.deepEqual(changed.json(), { ...made.json(), name: 'Ada', email: 'ADA@example.org' });
  const person = { email: 'ada@example.org', password: goodPassword };
  const session = await signInAs(app, person);
  assert.equal((await ask('DELETE', `/users/${id}`)).statusCode, 200);
  assert.equal((await session.ask('GET', '/session')).statusCode, 401);
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await ask(method, `/users/${id}`)).json().code, 'user_not_found');
  }
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  assert.deepEqual([row?.email, row?.name, row?.password_hash], ['', '', null]);
  assert.equal((await ask('POST', '/users', { email: 'ada@example.org' })).statusCode, 201);
});

test('deleting a user deletes the stored responses for their Idempotency-Keys and tokens', async () => {
  const { projectId } = await createTestToken(db);
  const roles = { [projectId]: 'member' } as const;
  const users = [await createTestUser(db, { roles }), await createTestUser(db, { roles })];
  const body = { name: 'canary-of-a-token', scopes: ['servers:write'] };
  const callers = async () => {
    const rows = await db.selectFrom('idempotency_keys').select('caller').execute();
    return rows.map(({ caller }) => caller).sort();
  };
  const made = users.map(async (user) => {
    const { ask: own } = await signInAs(app, user.credentials);
    const key = { 'idempotency-key': 'once' };
    const first = (await own('POST', '/tokens', { body, ...key })).json();
    const authorization = `Bearer ${first.token}`;
    const sent = { method: 'POST', url: '/v1/tokens', payload: body } as const;
    const second = await inject(app, { ...sent, headers: { ...key, authorization } });
    assert.equal(second.statusCode, 201);
    return [`token:${first.id}`, `user:${user.id}`];
  });
  const [gone = [], kept = []] = await Promise.all(made);
  assert.deepEqual(await callers(), [...gone, ...kept].sort());
  assert.equal((await ask('DELETE', `/users/${users[0]?.id}`)).statusCode, 200);
  assert.deepEqual(await callers(), kept);
});

test('an email address is unique, in any case of letters', async () => {
  const { email } = await createTestUser(db);
  const again = await ask('POST', '/users', { email: email.toUpperCase() });
  assert.equal(again.statusCode, 409);
  assert.equal(again.json().code, 'email_taken');
  const other = await createTestUser(db);
  assert.equal((await ask('PATCH', `/users/${other.id}`, { email })).json().code, 'email_taken');
  const own = await ask('PATCH', `/users/${other.id}`, { email: other.email.toUpperCase() });
  assert.equal(own.statusCode, 200);
  const both = await Promise.all(
    [1, 2].map(() => ask('POST', '/users', { email: 'at-once@example.com' })),
  );
  assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [201, 409]);
});

for (const [body, pointer, words] of [
  [{}, '/email', /required/],
  [{ email: 'nobody' }, '/email', /email address/],
  [{ email: 'a b@example.com' }, '/email', /email address/],
  [{ email: 'a@example.com', name: ' ' }, '/name', /1 to 100/],
  [{ email: 'a@example.com', password: 'x'.repeat(129) }, '/password', /128/],
  [{ email: 'a@example.com', password: 'hunter2' }, '/password', /^This password is .*\. Choose/],
  [{ email: 'a@example.com', password: '' }, '/password', /^Must be 1–128 characters\.$/],
  [{ email: 'a@example.com', is_admin: 'yes' }, '/is_admin', /true or false/],
  [{ email: 'a@example.com', role: 'owner' }, '/role', /Unknown field/],
] as const) {
  test(`an invalid user is refused with the reason: ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const answer = await ask('POST', '/users', body);
    assert.equal(answer.statusCode, 422);
    const [error] = answer.json().errors;
    assert.equal(error.pointer, pointer);
    assert.match(error.detail, words);
  });
}

test('administrators cannot demote, disable or delete themselves', async () => {
  const user = await createTestUser(db, { isAdmin: true });
  const { ask: own } = await signInAs(app, user.credentials);
  const url = `/users/${user.id}`;
  for (const refused of [
    await own('PATCH', url, { body: { is_admin: false } }),
    await own('PATCH', url, { body: { is_disabled: true } }),
    await own('PATCH', url, { body: { enabled: false } }),
    await own('DELETE', url),
  ]) {
    assert.equal(refused.statusCode, 409);
    assert.equal(refused.json().code, 'own_account');
  }
  assert.equal((await own('PATCH', url, { body: { name: 'Me' } })).statusCode, 200);
});

test('a user is disabled by `enabled`, and by its older opposite', async () => {
  const user = await createTestUser(db);
  const set = async (body: object) => {
    const { enabled, is_disabled } = (await ask('PATCH', `/users/${user.id}`, body)).json();
    return [enabled, is_disabled];
  };
  assert.deepEqual(await set({ enabled: false }), [false, true]);
  assert.deepEqual(await set({ is_disabled: false }), [true, false]);
  assert.deepEqual(await set({ enabled: false, is_disabled: true }), [false, true]);
  assert.deepEqual(await set({ enabled: true }), [true, false]);
  const refused = await ask('PATCH', `/users/${user.id}`, { enabled: true, is_disabled: true });
  assert.equal(refused.statusCode, 422);
  assert.equal(refused.json().errors[0].pointer, '/is_disabled');
  const nobody = await ask('PATCH', '/users/999999', { enabled: true, is_disabled: true });
  assert.equal(nobody.json().errors[0].pointer, '/is_disabled');
});

test('setting the password of a user ends their sessions', async () => {
  const user = await createTestUser(db);
  const session = await signInAs(app, user.credentials);
  const password = 'velvet-harbour-Monday-badger';
  await ask('PATCH', `/users/${user.id}`, { password });
  assert.equal((await session.ask('GET', '/session')).statusCode, 401);
  await signInAs(app, { ...user.credentials, password });
});

test('users can change their own password only with the old one', async () => {
  const user = await createTestUser(db, { isAdmin: true });
  const { ask: own } = await signInAs(app, user.credentials);
  const password = 'velvet-harbour-Monday-badger';
  const made = await own('POST', '/tokens', { body: { name: 'mine', scopes: ['admin'] } });
  const authorization = `Bearer ${made.json().token}`;
  const sent = { method: 'PATCH', url: `/v1/users/${user.id}`, payload: { password } } as const;
  for (const refused of [
    await own('PATCH', `/users/${user.id}`, { body: { password } }),
    await inject(app, { ...sent, headers: { authorization } }),
  ]) {
    assert.equal(refused.statusCode, 422);
    const [{ pointer, detail }] = refused.json().errors;
    assert.equal(pointer, '/password');
    assert.match(detail, /PUT \/v1\/session\/password/);
  }
  await signInAs(app, user.credentials);
  const { id } = await createTestUser(db);
  assert.equal((await own('PATCH', `/users/${id}`, { body: { password } })).statusCode, 200);
});
