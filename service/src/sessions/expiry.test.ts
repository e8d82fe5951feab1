import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { createTestApp } from '../testing/app.ts';
import { browser, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { deleteEndedSessions } from './queries.ts';
import { sessionRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
before(async () => {
  app = await createTestApp(db, [sessionRoutes]);
});
after(() => app.close());

const member = () => createTestUser(db);

async function age(cookie: string, change: string): Promise<void> {
  const { ask } = browser(app, cookie, '');
  const sessions = (await ask('GET', '/sessions')).json();
  const { id } = sessions.find((session: { is_current: boolean }) => session.is_current);
  await sql`update sessions set ${sql.raw(change)} where id = ${id}`.execute(db);
}

test('a session expires after 12 hours without use', async () => {
  const { ask, cookie } = await signInAs(app, (await member()).credentials);
  await age(
    cookie,
    "last_used_at = now() - interval '11 hours', expires_at = now() + interval '1 hour'",
  );
  const expiry = async () => Date.parse((await ask('GET', '/session')).json().expires_at);
  const before = await expiry();
  const later = await until('its use extends the session', expiry, (at) => at > before);
  assert.ok(later - before > 10 * 3_600_000);
  await age(cookie, "expires_at = now() - interval '1 second'");
  assert.equal((await ask('GET', '/session')).json().code, 'session_ended');
  assert.ok((await deleteEndedSessions(db)) >= 1);
});

test('a session expires after 30 days, even if it is used', async () => {
  const { ask, cookie } = await signInAs(app, (await member()).credentials);
  const days =
    "created_at = now() - interval '29 days 23 hours', last_used_at = now() - interval '1 hour'";
  await age(cookie, days);
  const left = async () =>
    Date.parse((await ask('GET', '/session')).json().expires_at) - Date.now();
  await until('at most an hour is left', left, (milliseconds) => milliseconds <= 3_600_000);
});
