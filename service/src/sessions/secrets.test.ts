import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp } from '../testing/app.ts';
import { keptLog, rowsAbout } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { sessionRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const canary = 'canary-7f3a-lantern-Tuesday-otter';

test('no password, cookie or unknown email address is in the log or the database', async () => {
  const { log, lines } = keptLog();
  const app = await createTestApp(db, [sessionRoutes], { log });
  const user = await createTestUser(db, { password: canary });
  const { ask, cookie, csrf } = await signInAs(app, user.credentials);
  const [, secret = ''] = cookie.split('=');
  const post = (payload: object) => inject(app, { method: 'POST', url: '/v1/session', payload });
  await post({ email: 'stranger-canary@example.com', password: `${canary}-wrong` });
  await post({ email: user.email, password: `${canary}-wrong` });
  await post({ email: 1, password: canary });
  await ask('PUT', '/session/password', {
    body: { password: canary, new_password: `${canary}-new` },
    'idempotency-key': 'once',
  });
  await ask('POST', '/session', { body: { email: user.email, password: canary }, cookie });
  await app.close();
  const everything = [...lines, ...(await rowsAbout(db))].join('\n');
  assert.ok(lines.length >= 6, 'the requests were logged');
  assert.match(everything, /sign_in_failed/);
  const answered = lines.map((line) => JSON.parse(line)).filter(({ route }) => route);
  assert.ok(answered.some(({ user_id, token_id }) => user_id === user.id && token_id === null));
  for (const text of [canary, secret, csrf, 'stranger-canary']) {
    assert.ok(!everything.includes(text), `${text} is kept`);
  }
});
