import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { createLimiter } from '../limits/limiter.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, generousLimits } from '../testing/app.ts';
import { createDevice, type Device } from '../testing/authenticator.ts';
import { keptLog, rowsAbout } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import {
  auditOf,
  type Browser,
  createTestUser,
  goodPassword,
  signInAs,
} from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { hashPassword } from '../users/password.ts';
import { updateUser } from '../users/queries.ts';
import { confirmationRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const { log, lines } = keptLog();
const site = { origin: 'http://localhost:8080', rpId: 'localhost' };
const routes = [sessionRoutes, confirmationRoutes, passkeyRoutes];
let app: App;
before(async () => {
  app = await createTestApp(db, routes, { log });
});
after(() => app.close());

let user: Awaited<ReturnType<typeof createTestUser>>;
let mine: Browser;
let device: Device;
let passkeyId: number;
beforeEach(async () => {
  user = await createTestUser(db);
  mine = await signInAs(app, user.credentials);
  device = createDevice();
  const made = await addPasskey(mine, device);
  assert.equal(made.statusCode, 201, made.body);
  passkeyId = made.json().id;
});

async function addPasskey({ ask }: Browser, key: Device) {
  const { challenge, user: person } = (await ask('POST', '/passkeys/options')).json();
  const credential = key.create({ challenge, ...site, userId: person.id });
  return await ask('POST', '/passkeys', { body: { name: 'Phone', credential } });
}

async function letTimePass(minutes = 11): Promise<void> {
  await sql`update sessions set confirmed_at = confirmed_at - ${minutes} * interval '1 minute'
    where user_id = ${user.id}`.execute(db);
}

async function signed(key = device): Promise<object> {
  const url = '/v1/session/passkey/options';
  const { challenge } = (await inject(app, { method: 'POST', url })).json();
  return key.get({ challenge, ...site });
}

const confirm = (body: object, { ask } = mine) => ask('POST', '/session/confirm', { body });
const isConfirmed = async () => (await mine.ask('POST', '/passkeys/options')).statusCode === 200;

const changes: Record<string, () => ReturnType<Browser['ask']>> = {
  'begins to add a passkey': () => mine.ask('POST', '/passkeys/options'),
  'adds a passkey': () => {
    const key = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };
    const credential = { ...key, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } };
    return mine.ask('POST', '/passkeys', { body: { name: 'Phone', credential } });
  },
  'removes a passkey': () => mine.ask('DELETE', `/passkeys/${passkeyId}`),
};

for (const [what, ask] of Object.entries(changes)) {
  test(`nobody ${what} later than ten minutes after the sign-in without a confirmation`, async () => {
    await letTimePass();
    const refused = await ask();
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'confirmation_required']);
    assert.match(refused.json().detail, /POST \/v1\/session\/confirm .*or sign in again/);
    assert.equal((await confirm({ password: goodPassword })).statusCode, 200);
    assert.notEqual((await ask()).statusCode, 403);
  });
}

test('a session is confirmed for ten minutes, with the password or a passkey', async () => {
  await letTimePass(9);
  assert.ok(await isConfirmed());
  for (const proof of [{ password: goodPassword }, { passkey: await signed() }]) {
    await letTimePass();
    assert.equal(await isConfirmed(), false);
    const before = Date.now();
    const answer = await confirm(proof);
    assert.equal(answer.statusCode, 200, answer.body);
    const begun = Date.parse(answer.json().confirmed_until) - 600_000;
    assert.ok(begun >= before && begun <= Date.now(), answer.body);
    assert.ok(await isConfirmed());
  }
  const entries = (await auditOf(db, 'session_confirm')).filter((e) => e.user_id === user.id);
  assert.deepEqual(
    entries.map(({ status, target_id }) => [status, target_id]),
    [
      [200, user.id],
      [200, user.id],
    ],
  );
});

test('only the session of the request is confirmed', async () => {
  const other = await signInAs(app, user.credentials);
  await letTimePass();
  assert.equal((await confirm({ password: goodPassword }, other)).statusCode, 200);
  assert.equal(await isConfirmed(), false);
});

test('an invalid proof confirms nothing', async () => {
  const stranger = await createTestUser(db);
  const theirs = createDevice();
  await addPasskey(await signInAs(app, stranger.credentials), theirs);
  await letTimePass();
  const used = await signed();
  assert.equal((await confirm({ passkey: used })).statusCode, 200);
  await letTimePass();
  for (const [body, pointer] of [
    [{}, ''],
    [{ password: goodPassword, passkey: await signed() }, ''],
    [{ password: 'not-it' }, '/password'],
    [{ passkey: used }, '/passkey'],
    [{ passkey: await signed(theirs) }, '/passkey'],
    [{ passkey: await signed(createDevice()) }, '/passkey'],
  ] as const) {
    const refused = await confirm(body);
    assert.equal(refused.statusCode, 422, refused.body);
    assert.equal(refused.json().errors[0].pointer, pointer);
  }
  assert.equal(await isConfirmed(), false);
});

test('a password that is changed meanwhile confirms nothing', async () => {
  await letTimePass();
  const passwordHash = await hashPassword('velvet-harbour-Monday-badger');
  const answer = await amid(
    db,
    (trx) => updateUser(trx, user.id, { passwordHash }),
    () => confirm({ password: goodPassword }),
  );
  assert.equal(answer.statusCode, 422);
  assert.equal(await isConfirmed(), false);
});

const guesses = {
  'POST /session/confirm': (ask: Browser['ask']) =>
    ask('POST', '/session/confirm', { body: { password: 'guess' } }),
  'POST /session/confirm with a passkey': async (ask: Browser['ask']) =>
    ask('POST', '/session/confirm', { body: { passkey: await signed(createDevice()) } }),
  'PUT /session/password': (ask: Browser['ask']) =>
    ask('PUT', '/session/password', { body: { password: 'guess', new_password: 'x' } }),
};

/** Sends requests to a separate service that allows four attempts. */
async function strictly(
  work: (from: (at: string, page: Browser) => Browser['ask']) => Promise<void>,
) {
  const attempts = { burst: 4, perSecond: 1e-6 };
  const limiter = createLimiter({ ...generousLimits, attempts });
  const strict = await createTestApp(db, routes, { limiter });
  await work((remoteAddress, { headers }) => (method, url, { body } = {}) => {
    const payload = body as object;
    return inject(strict, { method, url: `/v1${url}`, headers, payload, remoteAddress });
  });
  await strict.close();
}

for (const [route, guess] of Object.entries(guesses)) {
  test(`attempts at ${route} are limited by user, from any address`, async () => {
    await strictly(async (from) => {
      const statuses: number[] = [];
      for (let at = 1; at <= 5; at += 1) {
        statuses.push((await guess(from(`192.0.2.${at}`, mine))).statusCode);
      }
      assert.deepEqual(statuses, [422, 422, 422, 422, 429]);
    });
  });

  test(`attempts at ${route} are limited by address`, async () => {
    const other = await signInAs(app, (await createTestUser(db)).credentials);
    await strictly(async (from) => {
      const statuses: number[] = [];
      for (const page of [mine, other, mine, other, mine]) {
        statuses.push((await guess(from('192.0.2.1', page))).statusCode);
      }
      assert.deepEqual(statuses, [422, 422, 422, 422, 429]);
    });
  });
}

test('a successful confirmation does not count as an attempt', async () => {
  await strictly(async (from) => {
    const ask = from('192.0.2.1', mine);
    const body = { password: goodPassword };
    for (let at = 0; at < 6; at += 1) {
      assert.equal((await ask('POST', '/session/confirm', { body })).statusCode, 200);
    }
    for (const status of [422, 422, 422, 422, 429]) {
      const wrong = { password: 'guess' };
      assert.equal((await ask('POST', '/session/confirm', { body: wrong })).statusCode, status);
    }
  });
});

test('attempted passwords are neither in the log nor in the database', async () => {
  await confirm({ password: 'canary-of-a-guess' });
  await mine.ask('POST', '/session/confirm', {
    body: { password: goodPassword },
    'idempotency-key': 'confirm',
  });
  const everything = [...lines, ...(await rowsAbout(db))].join('\n');
  assert.match(everything, /confirm/);
  for (const text of ['canary-of-a-guess', goodPassword]) assert.ok(!everything.includes(text));
});
