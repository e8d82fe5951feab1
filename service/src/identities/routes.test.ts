import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { OidcFailure } from '@berth/contract/sessions';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import { type Account, startTestProvider, type TestProvider } from '../testing/oidc.ts';
import { auditOf, browser, cookieOf, createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { hashPassword } from '../users/password.ts';
import { eraseUser, lockUser } from '../users/queries.ts';
import { userRoutes } from '../users/routes.ts';
import { changeUser } from '../users/users.ts';
import { createIdentityProvider } from './provider.ts';
import { identityRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let provider: TestProvider;
let app: App;
before(async () => {
  provider = await startTestProvider('http://localhost:8080/v1/session/oidc');
  app = await open([]);
});
after(async () => {
  await app.close();
  await provider.close();
});

let account: Account;
let people = 0;
beforeEach(() => {
  people += 1;
  const email = `grace-${people}@example.com`;
  account = { sub: `subject-${people}`, email, email_verified: true, name: 'Grace Hopper' };
});

async function open(allowedDomains: string[]): Promise<App> {
  const identityProvider = createIdentityProvider({ ...provider.settings, allowedDomains });
  const routes = [sessionRoutes, identityRoutes, userRoutes];
  return await createTestApp(db, routes, { identityProvider });
}

async function begin(at = app, query = '') {
  const answer = await inject(at, { method: 'POST', url: `/v1/session/oidc${query}` });
  assert.equal(answer.statusCode, 200, answer.body);
  return { url: answer.json().authorization_url, cookie: cookieOf(answer, 'berth-sign-in') };
}

/** Does not use `inject`, because a redirect has no body. */
const come = (query: string, cookie: string, at = app) =>
  at.inject({ url: `/v1/session/oidc${query}`, headers: { cookie } });

async function whole(who = account, at = app) {
  const { url, cookie } = await begin(at);
  return await come(await provider.visit(url, who), cookie, at);
}

async function signedIn(who = account, at = app) {
  const answer = await whole(who, at);
  assert.equal(answer.statusCode, 303, answer.body);
  assert.equal(answer.headers.location, '/');
  const page = browser(at, cookieOf(answer), '');
  return (await page.ask('GET', '/session')).json().user;
}

async function refused(
  answer: Awaited<ReturnType<typeof come>>,
  reason: OidcFailure,
): Promise<void> {
  assert.equal(answer.statusCode, 303, answer.body);
  assert.equal(answer.headers.location, `/sign-in?failed=${reason}`);
  assert.equal(answer.headers['set-cookie'], undefined);
}

test('a person signs in at the provider, and is the same user the next time', async () => {
  const user = await signedIn();
  const { email } = account;
  assert.deepEqual(user, {
    ...{ id: user.id, email, name: 'Grace Hopper' },
    ...{ is_admin: false, has_password: false },
  });
  const renamed = { ...account, email: 'elsewhere@example.com', email_verified: false };
  assert.equal((await signedIn(renamed)).id, user.id);
  const entries = await auditOf(db, 'session_oidc_callback');
  assert.deepEqual(
    entries.slice(-2).map((entry) => [entry.user_id, entry.status]),
    [
      [user.id, 201],
      [user.id, 201],
    ],
  );
});

test('the redirect to the provider has a new state, nonce and challenge each time', async () => {
  const urls = [new URL((await begin()).url), new URL((await begin()).url)];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    const values = urls.map((url) => url.searchParams.get(name));
    assert.ok(values[0]);
    assert.notEqual(values[0], values[1], name);
  }
  assert.equal(urls[0]?.searchParams.get('code_challenge_method'), 'S256');
});

test('the browser is led back to the page that was asked for, whether the sign-in succeeds or not', async () => {
  const returnTo = '/servers?q=web&status=started';
  const query = `?${new URLSearchParams({ return_to: returnTo })}`;
  const { url, cookie } = await begin(app, query);
  const first = await come(await provider.visit(url, account), cookie);
  assert.equal(first.headers.location, `/sign-in?${new URLSearchParams({ from: returnTo })}`);
  const again = await begin(app, query);
  const { searchParams } = new URL(again.url);
  const denied = await come(
    `?${new URLSearchParams({ state: searchParams.get('state') ?? '', error: 'access_denied', iss: provider.settings.issuer.origin })}`,
    again.cookie,
  );
  const expected = new URLSearchParams({ failed: 'cancelled', from: returnTo });
  assert.equal(denied.headers.location, `/sign-in?${expected}`);
});

test('nobody is led to another site after the sign-in', async () => {
  for (const return_to of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'servers',
  ]) {
    const query = `?${new URLSearchParams({ return_to })}`;
    const answer = await inject(app, { method: 'POST', url: `/v1/session/oidc${query}` });
    assert.equal(answer.statusCode, 422, return_to);
  }
});

test('anybody can read how people can sign in', async () => {
  const methods = async (at: App) => (await inject(at, { url: '/v1/session/methods' })).json();
  const expected = { origin: 'http://localhost:8080', passkeys: true };
  assert.deepEqual(await methods(app), { ...expected, openid: { name: 'Example ID' } });
  const publicUrl = new URL('http://[::1]:8080');
  const plain = await createTestApp(db, [identityRoutes], { publicUrl });
  const none = { origin: 'http://[::1]:8080', passkeys: false, openid: null };
  assert.deepEqual(await methods(plain), none);
  await plain.close();
});

test('a link with the code of somebody else signs nobody in', async () => {
  const attacker = await begin();
  const query = await provider.visit(attacker.url, account);
  const victim = await begin();
  for (const cookie of ['', victim.cookie]) {
    await refused(await come(query, cookie), 'not_begun');
  }
});

test('a callback can be used once', async () => {
  const { url, cookie } = await begin();
  const query = await provider.visit(url, account);
  assert.equal((await come(query, cookie)).statusCode, 303);
  await refused(await come(query, cookie), 'not_begun');
});

test('a late callback is refused', async () => {
  const { url, cookie } = await begin();
  const query = await provider.visit(url, account);
  await db
    .updateTable('sign_in_states')
    .set({ expires_at: new Date(0) })
    .execute();
  await refused(await come(query, cookie), 'not_begun');
});

test('a modified code, or one of another sign-in, is refused', async () => {
  for (const change of [
    (query: URLSearchParams) => query.set('code', 'guessed'),
    (query: URLSearchParams) => query.delete('code'),
    (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
  ]) {
    const { url, cookie } = await begin();
    const query = new URLSearchParams(await provider.visit(url, account));
    change(query);
    await refused(await come(`?${query}`, cookie), 'not_confirmed');
  }
  const other = new URLSearchParams(await provider.visit((await begin()).url, account));
  const { url, cookie } = await begin();
  const query = new URLSearchParams(await provider.visit(url, account));
  query.set('code', other.get('code') ?? '');
  await refused(await come(`?${query}`, cookie), 'not_confirmed');
});

test('a sign-in is a confirmation if the provider says that it authenticated the person, and when', async () => {
  const confirmedFor = async (change: (url: URL) => void = () => undefined) => {
    const { url, cookie } = await begin();
    const asked = new URL(url);
    assert.equal(asked.searchParams.get('max_age'), '600');
    change(asked);
    const answer = await come(await provider.visit(asked.href, account), cookie);
    assert.equal(answer.statusCode, 303, answer.body);
    const { rows } = await sql<{ isConfirmed: boolean }>`
      select confirmed_at between now() - interval '10 minutes' and now() as "isConfirmed"
      from sessions order by id desc limit 1`.execute(db);
    return rows[0]?.isConfirmed;
  };
  assert.equal(await confirmedFor(), true);
  // Somebody who controls the browser can do this, so that the provider does not authenticate anybody again.
  assert.equal(await confirmedFor((url) => url.searchParams.delete('max_age')), false);
});

test('without a verified email address no user is created', async () => {
  await refused(await whole({ ...account, email_verified: false }), 'email_unverified');
  await refused(await whole({ sub: account.sub, name: 'x' }), 'email_missing');
});

test('outside of the allowed domains no user is created', async () => {
  const narrow = await open(['example.org']);
  await refused(await whole(account, narrow), 'domain_not_allowed');
  const email = `grace-${people}@EXAMPLE.org`;
  assert.equal((await signedIn({ ...account, email }, narrow)).email, email);
  await narrow.close();
});

test('a user whose domain is no longer allowed can not sign in', async () => {
  const user = await signedIn();
  const narrow = await open(['example.org']);
  await refused(await whole(account, narrow), 'domain_not_allowed');
  const moved = { ...account, email: `grace-${people}@example.org` };
  await refused(await whole({ ...moved, email_verified: false }, narrow), 'email_unverified');
  await refused(await whole({ sub: account.sub, name: 'x' }, narrow), 'email_missing');
  assert.equal((await signedIn(moved, narrow)).id, user.id);
  const wide = await open(['example.org', 'example.com']);
  assert.equal((await signedIn(account, wide)).id, user.id);
  await wide.close();
  // Closing the service enters the counted refusals.
  await narrow.close();
  const entries = (await auditOf(db, 'session_oidc_callback')).filter(
    (entry) => entry.target_id === user.id && entry.status === 401,
  );
  assert.equal(
    entries.reduce((sum, { count }) => sum + count, 0),
    3,
  );
});

test('an address that only looks like an allowed or known one is neither', async () => {
  const kelvin = await open(['kexample.org']);
  const domain = `grace-${people}@\u212aexample.org`;
  await refused(await whole({ ...account, email: domain }, kelvin), 'domain_not_allowed');
  await kelvin.close();
  const user = await createTestUser(db, { email: `kate-${people}@example.com`, password: null });
  const email = `\u212aate-${people}@example.com`;
  assert.notEqual((await signedIn({ ...account, email })).id, user.id);
});

test('a user who signs in in another way is not taken over by their address', async () => {
  await createTestUser(db, { email: account.email ?? '' });
  await refused(await whole(), 'email_in_use');
});

test('a user who was added without a password is linked to the identity', async () => {
  const email = account.email?.toUpperCase() ?? '';
  const user = await createTestUser(db, { email, password: null });
  assert.equal((await signedIn()).id, user.id);
  await refused(await whole({ ...account, sub: 'another' }), 'email_in_use');
});

test('a disabled user can not sign in', async () => {
  const { id } = await signedIn();
  await db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', id).execute();
  await refused(await whole(), 'user_disabled');
});

test('a user who is disabled during a sign-in is not signed in, even if enabled again', async () => {
  const { id } = await signedIn();
  await db.deleteFrom('sessions').where('user_id', '=', id).execute();
  const shutOut = (trx: Trx) => changeUser(trx, id, { is_disabled: true }, { ownId: null });
  await refused(await amid(db, shutOut, whole), 'user_disabled');
  const sessions = db.selectFrom('sessions').select('id').where('user_id', '=', id);
  assert.deepEqual(await sessions.execute(), []);
});

test('a user who gets a password meanwhile is not taken over by their address', async () => {
  const { id } = await createTestUser(db, { email: account.email ?? '', password: null });
  const passwordHash = await hashPassword('velvet-harbour-Monday-badger');
  const give = (trx: Trx) => changeUser(trx, id, {}, { passwordHash, ownId: null });
  await refused(await amid(db, give, whole), 'email_in_use');
});

test('an identity is not linked to a user who is deleted meanwhile', async () => {
  const { id } = await createTestUser(db, { email: account.email ?? '', password: null });
  const erase = async (trx: Trx) => {
    await lockUser(trx, id);
    await eraseUser(trx, id);
  };
  await refused(await amid(db, erase, whole), 'email_in_use');
  assert.notEqual((await signedIn()).id, id);
});

test('two concurrent first sign-ins create one user', async () => {
  const begun = [await begin(), await begin()];
  const back = await Promise.all(
    begun.map(async ({ url, cookie }) => [await provider.visit(url, account), cookie] as const),
  );
  const answers = await Promise.all(back.map(([query, cookie]) => come(query, cookie)));
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [303, 303],
  );
});

test('an unavailable provider is a 503, and is tried again the next time', async () => {
  const away = { ...provider.settings, issuer: new URL('http://127.0.0.1:9') };
  const identityProvider = createIdentityProvider(away);
  const lonely = await createTestApp(db, [identityRoutes], { identityProvider });
  const answer = await inject(lonely, { method: 'POST', url: '/v1/session/oidc' });
  assert.equal(answer.statusCode, 503);
  assert.match(answer.json().detail, /OpenID provider/);
  await lonely.close();
});

test('without a provider the routes do not exist', async () => {
  const plain = await createTestApp(db, [identityRoutes]);
  const answer = await inject(plain, { method: 'POST', url: '/v1/session/oidc' });
  assert.equal(answer.statusCode, 404);
  await plain.close();
});
