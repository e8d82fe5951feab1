import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import type { Role } from '../db/schema/people-schema.ts';
import { putMember } from '../projects/members/queries.ts';
import { membershipRoutes } from '../projects/members/routes.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { recordStatements } from '../testing/explain.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { userRoutes } from '../users/routes.ts';
import { tokenRoutes } from './routes.ts';

const { db, pool, close } = await createTestDatabase();
after(close);
const recorded = recordStatements(pool);

let app: App;
let projectId: number;
let admin: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, tokenRoutes, membershipRoutes, userRoutes]);
  ({ projectId, headers: admin } = await createTestToken(db));
});
after(() => app.close());

let user: Awaited<ReturnType<typeof createTestUser>>;
let token: string;
beforeEach(async () => {
  user = await createTestUser(db, { roles: { [projectId]: 'member' } });
  const { ask } = await signInAs(app, user.credentials);
  const body = { name: 'mine', scopes: ['servers:write'] };
  const made = await ask('POST', '/tokens', { body });
  assert.equal(made.json().user_id, user.id);
  ({ token } = made.json());
});

const whoami = (secret = token) =>
  inject(app, { url: '/v1/whoami', headers: { authorization: `Bearer ${secret}` } });
const asAdmin = async (method: 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object) => {
  const url = `/v1${path}`;
  const answer = await inject(app, { method, url, headers: admin, ...(payload && { payload }) });
  assert.equal(answer.statusCode, 200, answer.body);
};
const setRole = (role: Role) =>
  asAdmin('PUT', `/projects/${projectId}/members/${user.id}`, { role });

test('a token belongs to its user', async () => {
  const answer = (await whoami()).json();
  const { email } = user.credentials;
  assert.deepEqual(answer.user, { id: user.id, email, name: answer.user.name, is_admin: false });
  assert.deepEqual(answer.scopes, ['servers:write']);
  await asAdmin('PATCH', `/users/${user.id}`, { name: 'Renamed' });
  assert.equal((await whoami()).json().user.name, 'Renamed');
});

test('besides the token, one query reads whose it is, and what the project is called', async () => {
  await whoami();
  recorded.length = 0;
  assert.equal((await whoami()).json().project.name, 'default');
  const others = recorded.filter(({ text }) => !text.includes('"tokens"'));
  assert.equal(others.length, 1, others.map(({ text }) => text).join('\n'));
});

test('a token never allows more than the current role of its user', async () => {
  await setRole('viewer');
  assert.deepEqual((await whoami()).json().scopes, ['servers:read']);
  const headers = { authorization: `Bearer ${token}` };
  const payload = { name: 'y', scopes: ['servers:read'] };
  const refused = await inject(app, { method: 'POST', url: '/v1/tokens', headers, payload });
  assert.equal(refused.json().code, 'scope_missing');
  await setRole('owner');
  assert.deepEqual((await whoami()).json().scopes, ['servers:write']);
});

test('a user cannot create a token with more scopes than their role', async () => {
  const { ask } = await signInAs(app, user.credentials);
  const answer = await ask('POST', '/tokens', { body: { name: 'x', scopes: ['admin'] } });
  assert.equal(answer.statusCode, 422);
  assert.equal(answer.json().errors[0].pointer, '/scopes/0');
});

test('disabling a user invalidates their tokens, and tokens created with those', async () => {
  const headers = { authorization: `Bearer ${token}` };
  const payload = { name: 'child', scopes: ['servers:read'] };
  const child = await inject(app, { method: 'POST', url: '/v1/tokens', headers, payload });
  assert.equal(child.json().user_id, user.id);
  await asAdmin('PATCH', `/users/${user.id}`, { is_disabled: true });
  assert.equal((await whoami()).json().code, 'token_invalid');
  assert.equal((await whoami(child.json().token)).json().code, 'token_invalid');
});

test('removing a member revokes their tokens for good', async () => {
  await asAdmin('DELETE', `/projects/${projectId}/members/${user.id}`);
  assert.equal((await whoami()).json().code, 'token_invalid');
  await db
    .transaction()
    .execute((trx) => putMember(trx, { projectId, userId: user.id, role: 'member' }));
  assert.equal((await whoami()).json().code, 'token_invalid');
});

test('deleting a user revokes their tokens', async () => {
  await asAdmin('DELETE', `/users/${user.id}`);
  assert.equal((await whoami()).json().code, 'token_invalid');
});

test('the token of a former administrator loses the scope admin', async () => {
  await asAdmin('PATCH', `/users/${user.id}`, { is_admin: true });
  const { ask } = await signInAs(app, user.credentials);
  const made = await ask('POST', '/tokens', { body: { name: 'x', scopes: ['admin'] } });
  const secret = made.json().token;
  assert.deepEqual((await whoami(secret)).json().scopes, ['admin']);
  await asAdmin('PATCH', `/users/${user.id}`, { is_admin: false });
  assert.deepEqual((await whoami(secret)).json().scopes, ['servers:read', 'servers:write']);
});
