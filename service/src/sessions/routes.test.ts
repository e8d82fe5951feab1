import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { FieldError } from '../problems/problem.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import {
  auditOf,
  browser,
  cookieOf,
  createTestProject,
  createTestUser,
  goodPassword,
  signInAs,
} from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { passwordGate } from '../users/password.ts';
import { userRoutes } from '../users/routes.ts';
import { sessionRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let projectId: number;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, tokenRoutes, userRoutes]);
  ({ projectId } = await createTestToken(db));
});
after(() => app.close());

const member = () => createTestUser(db, { roles: { [projectId]: 'member' } });
const post = (payload: object, headers = {}, remoteAddress = '127.0.0.1') =>
  inject(app, { method: 'POST', url: '/v1/session', payload, headers, remoteAddress });

test('a user signs in, creates a token, and signs out', async () => {
  const user = await member();
  const answer = await post({ email: user.email.toUpperCase(), password: goodPassword });
  assert.equal(answer.statusCode, 201);
  const { csrf_token, expires_at, ...body } = answer.json();
  assert.deepEqual(body, {
    user: {
      ...{ id: user.id, email: user.email, name: 'Test' },
      ...{ is_admin: false, has_password: true },
    },
    projects: [{ id: projectId, name: 'default', role: 'member' }],
  });
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, `${hours} hours`);
  const { ask } = browser(app, cookieOf(answer), csrf_token);
  assert.equal((await ask('GET', '/session')).json().csrf_token, csrf_token);
  const whoami = (await ask('GET', '/whoami')).json();
  assert.equal(whoami.token_id, null);
  assert.equal(whoami.user.id, user.id);
  assert.deepEqual(whoami.scopes, ['servers:read', 'servers:write']);
  assert.deepEqual(whoami.project, { id: projectId, name: 'default' });
  const made = await ask('POST', '/tokens', { body: { name: 'x', scopes: ['servers:read'] } });
  assert.equal(made.statusCode, 201);
  const [entry] = (await auditOf(db, 'token_create')).slice(-1);
  assert.equal(entry?.user_id, user.id);
  assert.equal(entry?.token_id, null);
  const out = await ask('DELETE', '/session');
  assert.equal(out.statusCode, 200);
  assert.match(String(out.headers['set-cookie']), /^berth=; .*Max-Age=0/);
  const again = await ask('GET', '/session');
  assert.equal(again.statusCode, 401);
  assert.equal(again.json().code, 'session_ended');
});

test('the cookie is sent to this host only, and has the __Host- prefix over HTTPS', async () => {
  const user = await member();
  const local = await post(user.credentials);
  assert.match(
    String(local.headers['set-cookie']),
    /^berth=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const publicUrl = new URL('https://berth.example');
  const secure = await createTestApp(db, [sessionRoutes], { publicUrl });
  const answer = await inject(secure, {
    method: 'POST',
    url: '/v1/session',
    payload: user.credentials,
  });
  const [cookie = ''] = [answer.headers['set-cookie']].flat().map(String);
  assert.match(
    cookie,
    /^__Host-berth=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const [, secret] = /=([\w-]{43})/.exec(cookie) ?? [];
  const withCookie = async (name: string) =>
    (await inject(secure, { url: '/v1/session', headers: { cookie: `${name}=${secret}` } }))
      .statusCode;
  assert.equal(await withCookie('__Host-berth'), 200);
  assert.equal(await withCookie('berth'), 401);
  await secure.close();
});

test('an unknown email address, a wrong password and a disabled user get the same error', async () => {
  const user = await member();
  const disabled = await member();
  const without = await createTestUser(db, { password: null });
  await db
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', disabled.id)
    .execute();
  const tries = [
    { email: 'nobody@example.com', password: goodPassword },
    { email: user.email, password: 'not-the-right-one' },
    { email: disabled.email, password: goodPassword },
    { email: without.email, password: '' },
  ];
  const seen = new Set<string>();
  for (const body of tries) {
    // From another address than in other tests, so that it is not counted with their refusals.
    const answer = await post(body, {}, '192.0.2.96');
    assert.equal(answer.statusCode, 401);
    const { request_id: _, ...problem } = answer.json();
    assert.equal(problem.code, 'sign_in_failed');
    seen.add(JSON.stringify([problem, answer.headers['www-authenticate']]));
    assert.equal(answer.headers['set-cookie'], undefined);
  }
  assert.equal(seen.size, 1);
  const newest = async () => (await auditOf(db, 'session_create')).slice(-tries.length);
  // They are recorded after the responses.
  const all = [null, user.id, disabled.id, without.id];
  const entries = await until('all are entered', newest, (seen) =>
    all.every((id) => seen.some(({ target_id }) => target_id === id)),
  );
  const what = entries.map((e) => [e.status, e.code, e.user_id, e.target_id]);
  const refused = [401, 'sign_in_failed', null];
  assert.deepEqual(what.sort(), all.map((id) => [...refused, id]).sort());
});

test('a password is hashed for an unknown email address as for a known one', async (t) => {
  const user = await member();
  const without = await createTestUser(db, { password: null });
  // The first request also creates the hash for unknown email addresses.
  await post({ email: 'nobody@example.com', password: 'not-the-right-one' });
  const { mock } = t.mock.method(passwordGate, 'run');
  for (const email of [user.email, without.email, 'nobody@example.com']) {
    const answer = await post({ email, password: 'not-the-right-one' });
    assert.equal(answer.statusCode, 401);
    assert.equal(mock.callCount(), 1, email);
    // A hash was compared, and did not match.
    assert.equal(await mock.calls[0]?.result, false);
    mock.resetCalls();
  }
});

test('a sign-in does not use a session that an attacker set', async () => {
  const user = await member();
  const planted = `berth=${'A'.repeat(43)}`;
  const answer = await post(user.credentials, { cookie: planted });
  assert.notEqual(cookieOf(answer), planted);
  const attacker = await inject(app, { url: '/v1/session', headers: { cookie: planted } });
  assert.equal(attacker.statusCode, 401);
});

test('signing in again ends the previous session of the browser', async () => {
  const user = await member();
  const first = await signInAs(app, user.credentials);
  const other = await signInAs(app, user.credentials);
  const again = await post(user.credentials, { cookie: first.cookie });
  assert.equal(again.statusCode, 201);
  assert.notEqual(cookieOf(again), first.cookie);
  assert.equal((await first.ask('GET', '/session')).statusCode, 401);
  assert.equal((await other.ask('GET', '/session')).statusCode, 200);
});

test('disabling a user ends their sessions at once, for good', async () => {
  const { headers } = await createTestToken(db);
  const user = await member();
  const { ask } = await signInAs(app, user.credentials);
  const disable = async (is_disabled: boolean) => {
    const url = `/v1/users/${user.id}`;
    const answer = await inject(app, { method: 'PATCH', url, headers, payload: { is_disabled } });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  await disable(true);
  assert.equal((await ask('GET', '/session')).json().code, 'session_ended');
  await disable(false);
  assert.equal((await ask('GET', '/session')).json().code, 'session_ended');
  await signInAs(app, user.credentials);
});

test('signing out everywhere ends all sessions of the user, and no others', async () => {
  const user = await member();
  const somebody = await signInAs(app, (await member()).credentials);
  const first = await signInAs(app, user.credentials);
  const second = await signInAs(app, user.credentials);
  const list = (await first.ask('GET', '/sessions')).json();
  assert.deepEqual(
    list.map((session: { is_current: boolean }) => session.is_current),
    [false, true],
  );
  assert.deepEqual((await first.ask('DELETE', '/sessions')).json(), {
    ended: 2,
    tokens_left: 0,
  });
  for (const { ask } of [first, second])
    assert.equal((await ask('GET', '/session')).statusCode, 401);
  assert.equal((await somebody.ask('GET', '/session')).statusCode, 200);
});

test('signing out reports how many tokens are still valid, and revokes them on request', async () => {
  const elsewhere = await createTestProject(db, 'elsewhere');
  const roles = { [projectId]: 'member', [elsewhere]: 'member' } as const;
  const user = await createTestUser(db, { roles });
  const body = { name: 'x', scopes: ['servers:write'] };
  const tokens: string[] = [];
  const make = async (project: number) => {
    const { ask } = await signInAs(app, user.credentials);
    const made = await ask('POST', '/tokens', { body, 'berth-project': String(project) });
    tokens.push(made.json().token);
  };
  await make(projectId);
  await make(elsewhere);
  const stranger = await createTestToken(db);
  const statuses = () =>
    Promise.all(
      [...tokens, stranger.token].map(async (token) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await inject(app, { url: '/v1/whoami', headers })).statusCode;
      }),
    );
  const end = async (method: 'DELETE' | 'PUT', url: string, sent = {}) => {
    const { ask } = await signInAs(app, user.credentials);
    return (await ask(method, url, sent)).json().tokens_left;
  };
  assert.equal(await end('DELETE', '/session'), 2);
  assert.equal(await end('DELETE', '/sessions?tokens=false'), 2);
  assert.deepEqual(await statuses(), [200, 200, 200]);
  assert.equal(await end('DELETE', '/sessions?tokens=true'), 0);
  assert.deepEqual(await statuses(), [401, 401, 200]);
  await make(projectId);
  const passwords = { password: goodPassword, new_password: 'velvet-harbour-Monday-badger' };
  assert.equal(await end('PUT', '/session/password', { body: passwords }), 1);
});

const byPointer = ({ pointer, detail }: FieldError) => [pointer, detail];

test('changing a password requires the old one, and ends the other sessions', async () => {
  const user = await member();
  const here = await signInAs(app, user.credentials);
  const elsewhere = await signInAs(app, user.credentials);
  const put = (body: object) => here.ask('PUT', '/session/password', { body });
  const new_password = 'velvet-harbour-Monday-badger';
  const wrong = await put({ password: 'not-it', new_password });
  assert.equal(wrong.statusCode, 422);
  assert.deepEqual(wrong.json().errors, [
    { pointer: '/password', detail: 'Is not your current password.' },
  ]);
  const misnamed = await put({ old_password: goodPassword, new_password });
  assert.deepEqual(Object.fromEntries(misnamed.json().errors.map(byPointer)), {
    '/password': 'Is required.',
    '/old_password': 'Unknown field.',
  });
  const weak = await put({ password: goodPassword, new_password: 'password1' });
  assert.equal(weak.json().errors[0].pointer, '/new_password');
  assert.match(
    weak.json().errors[0].detail,
    /^This password is too easy to guess: it is [a-z ]+\. Choose a longer one, such as four unusual words/,
  );
  const same = await put({ password: goodPassword, new_password: goodPassword });
  assert.deepEqual([same.statusCode, same.json().errors[0].pointer], [422, '/new_password']);
  const changed = await put({ password: goodPassword, new_password });
  assert.deepEqual(changed.json(), { ended: 1, tokens_left: 0 });
  assert.equal((await here.ask('GET', '/session')).statusCode, 200);
  assert.equal((await elsewhere.ask('GET', '/session')).statusCode, 401);
  assert.equal((await post(user.credentials)).statusCode, 401);
  await signInAs(app, { ...user.credentials, password: new_password });
});

test('a repeated change of a password with its Idempotency-Key is replayed', async () => {
  const { ask } = await signInAs(app, (await member()).credentials);
  const body = { password: goodPassword, new_password: 'velvet-harbour-Monday-badger' };
  const put = () => ask('PUT', '/session/password', { body, 'idempotency-key': 'change' });
  const none = { ended: 0, tokens_left: 0 };
  assert.deepEqual((await put()).json(), none);
  const again = await put();
  assert.deepEqual([again.statusCode, again.json()], [200, none]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
});

test('the fifty-first session of a user ends their oldest one', async () => {
  const user = await member();
  const somebody = await signInAs(app, (await member()).credentials);
  const first = await signInAs(app, user.credentials);
  const second = await signInAs(app, user.credentials);
  await sql`
    insert into sessions (secret_sha256, user_id, address, user_agent, expires_at)
    select sha256((${user.id} || ' ' || n)::bytea), ${user.id}, '127.0.0.1', '', now() + interval '1 hour'
    from generate_series(1, 48) n`.execute(db);
  assert.equal((await first.ask('GET', '/session')).statusCode, 200);
  await signInAs(app, user.credentials);
  assert.equal((await first.ask('GET', '/session')).json().code, 'session_ended');
  assert.equal((await second.ask('GET', '/sessions')).json().length, 50);
  assert.equal((await somebody.ask('GET', '/session')).statusCode, 200);
});

test('with a token and a cookie, the token is used', async () => {
  const { id, headers } = await createTestToken(db);
  const { cookie } = await signInAs(app, (await member()).credentials);
  const both = { ...headers, cookie };
  const whoami = (await inject(app, { url: '/v1/whoami', headers: both })).json();
  assert.equal(whoami.token_id, id);
  assert.equal(whoami.user, null);
  const session = await inject(app, { url: '/v1/session', headers: both });
  assert.equal(session.statusCode, 403);
  assert.equal(session.json().code, 'person_required');
});

for (const [body, pointer] of [
  [{}, '/email'],
  [{ email: 'a\u0000b', password: 'x' }, '/email'],
  [{ email: 'a@example.com', password: 1 }, '/password'],
  [{ email: 'a@example.com', password: 'x'.repeat(255) }, '/password'],
] as const) {
  test(`a malformed sign-in gets a 422: ${JSON.stringify(body).slice(0, 50)}`, async () => {
    const answer = await post(body);
    assert.equal(answer.statusCode, 422);
    assert.equal(answer.json().errors[0].pointer, pointer);
  });
}

test('a password can contain any character', async () => {
  const answer = await post({ email: 'a@example.com', password: '\u0000\ud800' });
  assert.equal(answer.statusCode, 401);
});

test('malformed and unknown cookies are refused', async () => {
  for (const cookie of [
    'berth=',
    'berth=x',
    `berth=${'é'.repeat(43)}`,
    `berth=${'B'.repeat(43)}`,
  ]) {
    const answer = await inject(app, { url: '/v1/session', headers: { cookie } });
    assert.equal(answer.statusCode, 401, cookie);
    assert.equal(answer.json().code, 'session_ended');
  }
  const none = await inject(app, { url: '/v1/session', headers: { cookie: 'other=1' } });
  assert.equal(none.json().code, 'token_missing');
});

test('the response to a sign-in is not stored under an Idempotency-Key', async () => {
  const user = await member();
  const key = { 'idempotency-key': 'sign-in' };
  const first = await post(user.credentials, key);
  const second = await post(user.credentials, key);
  assert.notEqual(cookieOf(first), cookieOf(second));
  assert.equal(second.headers['idempotency-replayed'], undefined);
  const { ask } = browser(app, cookieOf(second), second.json().csrf_token);
  const body = { name: 'once', scopes: ['servers:read'] };
  const made = await ask('POST', '/tokens', { body, ...key });
  const again = await ask('POST', '/tokens', { body, ...key });
  assert.equal(again.json().id, made.json().id);
  const kept = db.selectFrom('idempotency_keys').select('caller').where('key', '=', 'sign-in');
  assert.deepEqual(await kept.execute(), [{ caller: `user:${user.id}` }]);
});
