import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { auditOf, type Browser, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { sessionRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const body = { name: 'x', scopes: ['servers:read'] };
let app: App;
let user: Awaited<ReturnType<typeof createTestUser>>;
let mine: Browser;
let other: Browser;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, tokenRoutes]);
  const { projectId } = await createTestToken(db);
  user = await createTestUser(db, { roles: { [projectId]: 'member' } });
  mine = await signInAs(app, user.credentials);
  other = await signInAs(app, user.credentials);
});
after(() => app.close());

test('a change with a session requires the CSRF token of that session', async () => {
  const values = { none: undefined, empty: '', wrong: 'x'.repeat(43), others: other.csrf };
  for (const [name, value] of Object.entries(values)) {
    const answer = await mine.ask('POST', '/tokens', { body, 'berth-csrf': value });
    assert.equal(answer.statusCode, 403, name);
    assert.equal(answer.json().code, 'csrf_failed');
  }
  assert.equal((await mine.ask('POST', '/tokens', { body })).statusCode, 201);
  const entries = (await auditOf(db, 'token_create')).filter((e) => e.code === 'csrf_failed');
  assert.ok(entries.length >= 1);
  assert.ok(entries.every((entry) => entry.user_id === user.id));
});

test('a read requires no CSRF token', async () => {
  const answer = await mine.ask('GET', '/tokens', { 'berth-csrf': undefined });
  assert.equal(answer.statusCode, 200);
});

for (const [origin, host, status] of [
  ['http://localhost:8080', 'localhost:8080', 201],
  ['http://127.0.0.1:8080', '127.0.0.1:8080', 201],
  ['http://127.0.0.1:9999', '127.0.0.1:8080', 403],
  ['http://localhost:8080.evil.example', 'localhost:8080', 403],
  ['http://evil.example', 'evil.example', 403],
  ['https://evil.example', 'localhost:8080', 403],
  ['null', 'localhost:8080', 403],
] as const) {
  test(`a request from a page of ${origin} to ${host} gets ${status}`, async () => {
    const answer = await mine.ask('POST', '/tokens', { body, origin, host });
    assert.equal(answer.statusCode, status, answer.body);
    if (status === 403) assert.equal(answer.json().code, 'csrf_failed');
    const signIn = await inject(app, {
      method: 'POST',
      url: '/v1/session',
      payload: user.credentials,
      headers: { origin, host },
    });
    assert.equal(signIn.statusCode, status, 'signing in is also refused');
  });
}

test('behind HTTPS only the origin of the public URL is accepted', async () => {
  const publicUrl = new URL('https://berth.example');
  const secure = await createTestApp(db, [sessionRoutes], { publicUrl });
  const ask = async (origin: string) => {
    const headers = { origin, host: 'localhost:8080' };
    const options = {
      method: 'POST',
      url: '/v1/session',
      payload: user.credentials,
      headers,
    } as const;
    return (await inject(secure, options)).statusCode;
  };
  assert.equal(await ask('https://berth.example'), 201);
  assert.equal(await ask('http://berth.example'), 403);
  assert.equal(await ask('http://localhost:8080'), 403);
  await secure.close();
});

test('a request with a token requires no CSRF token, whatever its origin', async () => {
  const { headers } = await createTestToken(db);
  const sent = { ...headers, origin: 'https://elsewhere.example' };
  const url = '/v1/tokens';
  const answer = await inject(app, { method: 'POST', url, payload: body, headers: sent });
  assert.equal(answer.statusCode, 201);
});
