import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp } from '../testing/app.ts';
import { keptLog, rowsAbout } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { clientSecret, startTestProvider } from '../testing/oidc.ts';
import { cookieOf } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { createIdentityProvider } from './provider.ts';
import { identityRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

test('codes, states, client secrets and addresses of refused sign-ins are neither in the log nor in the database', async () => {
  const { log, lines } = keptLog();
  const provider = await startTestProvider('http://localhost:8080/v1/session/oidc');
  const identityProvider = createIdentityProvider(provider.settings);
  const app = await createTestApp(db, [identityRoutes], { identityProvider, log });
  const hidden = [clientSecret, 'stranger-canary'];

  async function comeBack(change: (query: URLSearchParams) => void, verified = true) {
    const begun = await inject(app, { method: 'POST', url: '/v1/session/oidc' });
    const cookie = cookieOf(begun, 'berth-sign-in');
    const name = verified ? 'grace' : 'stranger-canary';
    const account = { sub: name, email: `${name}@example.com`, email_verified: verified };
    const query = new URLSearchParams(
      await provider.visit(begun.json().authorization_url, account),
    );
    hidden.push(query.get('code') ?? '', query.get('state') ?? '');
    change(query);
    const url = `/v1/session/oidc?${query}`;
    return (await app.inject({ url, headers: { cookie } })).statusCode;
  }

  assert.equal(await comeBack(() => undefined), 303);
  assert.equal(await comeBack((query) => query.set('code', 'canary-of-a-guess')), 303);
  assert.equal(await comeBack((query) => query.set('state', 'canary-of-a-guess')), 303);
  assert.equal(await comeBack(() => undefined, false), 303);
  hidden.push('canary-of-a-guess');
  await app.close();
  await provider.close();
  const everything = [...lines, ...(await rowsAbout(db))].join('\n');
  assert.match(everything, /A sign-in at the OpenID provider failed/);
  assert.match(everything, /sign_in_failed/);
  for (const text of hidden) {
    assert.ok(text.length > 4);
    assert.ok(!everything.includes(text), `${text} is kept`);
  }
});
