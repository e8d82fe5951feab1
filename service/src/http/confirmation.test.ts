import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { isSafe } from '../lib/methods.ts';
import { routes } from '../routes.ts';
import { accessCases } from '../testing/access-cases.ts';
import { accessRoutes, askCase, requireCase } from '../testing/access-routes.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createTestApp } from '../testing/app.ts';
import { fingerprintOf } from '../testing/fingerprint.ts';
import { type Browser, createTestUser, goodPassword, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';

// Tests every route that changes something in a session that somebody left open.

/** Changes that give somebody rights or access that outlast the session, or remove them from others. */
const surelySensitive = [
  'settings_update',
  // This opens nodes, networks and port 25 to servers.
  'location_update',
  'token_create',
  'device_authorization_approve',
  'server_password',
  'ssh_key_create',
  'ssh_key_update',
  'user_create',
  'user_update',
  'user_delete',
  'member_add',
  'member_set',
  'member_remove',
  'passkey_options',
  'passkey_create',
  'passkey_delete',
  // Events are sent to a URL for as long as the webhook exists.
  'webhook_create',
  'webhook_update',
  'webhook_rotate_secret',
];

const { db, close } = await createTestDatabase();
after(close);
const world = await createAccessWorld(db);
const app: App = await createTestApp(db, [...routes]);
after(() => app.close());
const cases = await accessCases(world, app);
const changing = accessRoutes(app).filter(
  ({ method, scope }) => !isSafe(method) && scope !== 'public',
);

const sensitive = new Set(
  changing.filter(({ needsConfirmation }) => needsConfirmation).map(({ name }) => name),
);

const required = [403, 'confirmation_required'];

/** The session of an administrator, who is allowed to do everything. */
async function openSession(): Promise<Browser> {
  const browser = await signInAs(app, world.credentials);
  await sql`update sessions set confirmed_at = confirmed_at - interval '11 minutes'`.execute(db);
  return browser;
}

async function ask(name: string, headers: object) {
  const { method } = changing.find((route) => route.name === name) ?? {};
  assert.ok(method, `there is a route ${name} that changes something`);
  const answer = await askCase(app, requireCase(cases, name), { method, headers });
  return { answer, refused: [answer.statusCode, answer.json().code] };
}

it('each route that changes something declares whether it needs a confirmation', () => {
  const undecided = changing.filter(({ needsConfirmation }) => needsConfirmation === undefined);
  assert.deepEqual(
    undecided.map(({ name }) => name),
    [],
  );
  for (const name of surelySensitive) assert.ok(sensitive.has(name), name);
});

describe('ten minutes after somebody signed in', () => {
  let browser: Browser;
  before(async () => {
    browser = await openSession();
  });

  it('nothing sensitive is done', async () => {
    const untouched = await fingerprintOf(db);
    for (const name of sensitive) {
      const { answer, refused } = await ask(name, browser.headers);
      assert.deepEqual(refused, required, name);
      assert.match(answer.json().detail, /POST \/v1\/session\/confirm .*or sign in again/);
    }
    assert.equal(await fingerprintOf(db), untouched);
  });

  for (const { name } of changing.filter((route) => !sensitive.has(route.name))) {
    it(`${name} goes on`, async () => {
      const { headers } = await openSession();
      const { answer } = await ask(name, headers);
      assert.equal(answer.statusCode, cases[name]?.status, answer.body);
    });
  }

  it('all of it is possible after a confirmation', async () => {
    browser = await openSession();
    const body = { password: goodPassword };
    assert.equal((await browser.ask('POST', '/session/confirm', { body })).statusCode, 200);
    for (const name of sensitive) {
      const { answer } = await ask(name, browser.headers);
      assert.equal(answer.statusCode, cases[name]?.status, answer.body);
    }
  });
});

it('users who are not administrators need a confirmation as well', async () => {
  const owner = await createTestUser(db, { roles: { [world.place.projectId]: 'owner' } });
  const { headers } = await signInAs(app, owner.credentials);
  await sql`update sessions set confirmed_at = confirmed_at - interval '11 minutes'`.execute(db);
  const own = [...sensitive].filter((name) => !/^(user|settings|location)_/.test(name));
  for (const name of own) {
    assert.deepEqual((await ask(name, headers)).refused, required, name);
  }
});
