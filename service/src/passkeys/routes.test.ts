import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp } from '../testing/app.ts';
import { createDevice, type Device } from '../testing/authenticator.ts';
import { keptLog, rowsAbout } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import {
  auditOf,
  type Browser,
  browser,
  cookieOf,
  createTestUser,
  signInAs,
} from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { eraseUser, lockUser } from '../users/queries.ts';
import { recordPasskeyUse } from './queries.ts';
import { passkeyRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const origin = 'http://localhost:8080';
const rpId = 'localhost';
const { log, lines } = keptLog();
let app: App;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, passkeyRoutes], { log });
});
after(() => app.close());

let user: Awaited<ReturnType<typeof createTestUser>>;
let mine: Browser;
let device: Device;
beforeEach(async () => {
  user = await createTestUser(db);
  mine = await signInAs(app, user.credentials);
  device = createDevice();
});

async function creation(page = mine) {
  const answer = await page.ask('POST', '/passkeys/options');
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

type Wanted = Partial<Parameters<Device['create']>[0]>;

async function register(more: Wanted = {}, page = mine) {
  const { challenge, user: person } = await creation(page);
  const credential = device.create({ challenge, origin, rpId, userId: person.id, ...more });
  return await page.ask('POST', '/passkeys', { body: { name: 'Phone', credential } });
}

const post = (url: string, payload: object = {}, remoteAddress = '127.0.0.1') =>
  inject(app, { method: 'POST', url: `/v1${url}`, payload, remoteAddress });
const challengeToSign = async () => (await post('/session/passkey/options')).json().challenge;

async function signIn(more: { origin?: string; rpId?: string } = {}) {
  const challenge = await challengeToSign();
  return await post('/session/passkey', device.get({ challenge, origin, rpId, ...more }));
}

async function refused(answer: Awaited<ReturnType<typeof signIn>>): Promise<void> {
  assert.equal(answer.statusCode, 401, answer.body);
  assert.equal(answer.json().code, 'sign_in_failed');
  assert.equal(answer.headers['set-cookie'], undefined);
}

test('a user adds a passkey, signs in with it alone, and removes it', async () => {
  const options = await creation();
  assert.deepEqual(options.rp, { id: 'localhost', name: 'Berth' });
  assert.equal(options.user.name, user.email);
  assert.equal(options.authenticatorSelection.residentKey, 'required');
  const made = await register();
  assert.equal(made.statusCode, 201, made.body);
  const { id } = made.json();
  assert.equal((await creation()).excludeCredentials.length, 1);
  const answer = await signIn();
  assert.equal(answer.statusCode, 201, answer.body);
  assert.equal(answer.json().user.id, user.id);
  const page = browser(app, cookieOf(answer), answer.json().csrf_token);
  const [listed, ...others] = (await page.ask('GET', '/passkeys')).json();
  assert.deepEqual([listed.id, listed.name, others.length], [id, 'Phone', 0]);
  assert.ok(listed.last_used_at);
  assert.equal((await page.ask('DELETE', `/passkeys/${id}`)).statusCode, 200);
  assert.equal((await page.ask('DELETE', `/passkeys/${id}`)).json().code, 'passkey_not_found');
  await refused(await signIn());
});

test('a challenge can be used once', async () => {
  await register();
  const challenge = await challengeToSign();
  const first = await post('/session/passkey', device.get({ challenge, origin, rpId }));
  assert.equal(first.statusCode, 201);
  await refused(await post('/session/passkey', device.get({ challenge, origin, rpId })));
});

test('an expired challenge, or one for another purpose, is refused', async () => {
  await register();
  const { challenge } = await creation();
  await refused(await post('/session/passkey', device.get({ challenge, origin, rpId })));
  const old = await challengeToSign();
  await db
    .updateTable('sign_in_states')
    .set({ expires_at: new Date(0) })
    .execute();
  await refused(await post('/session/passkey', device.get({ challenge: old, origin, rpId })));
});

test('a signature for another site, without user verification, or of a copied passkey is refused', async () => {
  await register();
  await refused(await signIn({ origin: 'https://evil.example' }));
  await refused(await signIn({ rpId: 'evil.example' }));
  device.isUnlocked = false;
  await refused(await signIn());
  device.isUnlocked = true;
  assert.equal((await signIn()).statusCode, 201);
  device.counter -= 1;
  await refused(await signIn());
  device.counter += 1;
  const signed = device.get({ challenge: await challengeToSign(), origin, rpId });
  signed.response.signature = device.get({ challenge: 'x', origin, rpId }).response.signature ?? '';
  await refused(await post('/session/passkey', signed));
});

test('of concurrent sign-ins with a passkey and its copy, one is refused', async () => {
  const { id } = (await register()).json();
  const signed = device.get({ challenge: await challengeToSign(), origin, rpId });
  const original = (trx: Trx) => recordPasskeyUse(trx, id, device.counter);
  await refused(await amid(db, original, () => post('/session/passkey', signed)));
});

test('a signature with the user handle of another user is refused', async () => {
  await register();
  const signed = device.get({ challenge: await challengeToSign(), origin, rpId });
  signed.response.userHandle = Buffer.from('1').toString('base64url');
  // From another address than in other tests, so that it is not counted with their refusals.
  const before = (await auditOf(db, 'session_passkey')).length;
  await refused(await post('/session/passkey', signed, '192.0.2.145'));
  const later = async () => (await auditOf(db, 'session_passkey')).slice(before);
  // It is recorded after the response.
  const entries = await until('it is entered', later, ({ length }) => length > 0);
  const entry = entries.at(-1);
  assert.deepEqual(
    [entry?.status, entry?.code, entry?.user_id, entry?.target_id],
    [401, 'sign_in_failed', null, user.id],
  );
});

test('a disabled user cannot sign in with a passkey', async () => {
  await register();
  await db
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', user.id)
    .execute();
  await refused(await signIn());
});

test('a passkey can be added only by the user of the challenge, on this site, and once', async () => {
  const other = await signInAs(app, (await createTestUser(db)).credentials);
  const { challenge, user: person } = await creation(other);
  const stolen = device.create({ challenge, origin, rpId, userId: person.id });
  const body = { name: 'x', credential: stolen };
  assert.equal((await mine.ask('POST', '/passkeys', { body })).statusCode, 422);
  assert.equal((await register({ origin: 'https://evil.example' })).statusCode, 422);
  device.isUnlocked = false;
  assert.equal((await register()).statusCode, 422);
  device.isUnlocked = true;
  assert.equal((await register()).statusCode, 201);
  const again = await register({}, other);
  assert.equal(again.statusCode, 422);
  assert.match(again.json().errors[0].detail, /registered already/);
  const { id } = (await mine.ask('GET', '/passkeys')).json()[0];
  assert.equal((await other.ask('DELETE', `/passkeys/${id}`)).statusCode, 404);
});

test('a refused passkey uses up its challenge', async () => {
  const { challenge, user: person } = await creation();
  const made = (at: string) => device.create({ challenge, origin: at, rpId, userId: person.id });
  const add = (credential: object) =>
    mine.ask('POST', '/passkeys', { body: { name: 'Phone', credential } });
  assert.equal((await add(made('https://evil.example'))).statusCode, 422);
  assert.equal((await add(made(origin))).statusCode, 422);
});

test('a repeated request with its Idempotency-Key adds a passkey once', async () => {
  const { challenge, user: person } = await creation();
  const credential = device.create({ challenge, origin, rpId, userId: person.id });
  const body = { name: 'Phone', credential };
  const add = () => mine.ask('POST', '/passkeys', { body, 'idempotency-key': 'a-passkey' });
  const first = await add();
  const again = await add();
  assert.deepEqual([first.statusCode, again.statusCode], [201, 201]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
});

test('a failure of the database is not reported as an invalid passkey', async () => {
  const { challenge, user: person } = await creation();
  const credential = device.create({ challenge, origin, rpId, userId: person.id });
  await sql`alter table sign_in_states rename to lost_states`.execute(db);
  const body = { name: 'Phone', credential };
  const added = await mine.ask('POST', '/passkeys', { body });
  const signedIn = await post('/session/passkey', device.get({ challenge, origin, rpId }));
  await sql`alter table lost_states rename to sign_in_states`.execute(db);
  assert.deepEqual([added.statusCode, signedIn.statusCode], [500, 500]);
});

test('self attestation is accepted', async () => {
  assert.equal((await register({ attestation: 'self' })).statusCode, 201);
  assert.equal((await signIn()).statusCode, 201);
});

test('attestation by the manufacturer was not requested, and is refused', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-attestation-'));
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', '/C=SE/O=Maker/OU=Authenticator Attestation/CN=Device'];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  const files = ['-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...leaf, ...files], {
    stdio: 'pipe',
  });
  const key = createPrivateKey(await readFile(keyFile));
  const certificate = new X509Certificate(await readFile(certFile)).raw;
  await rm(directory, { recursive: true });
  const answer = await register({ attestation: { key, certificate } });
  assert.equal(answer.statusCode, 422, answer.body);
});

test('a user who is deleted while they add a passkey leaves no passkey', async () => {
  const erase = async (trx: Trx) => {
    await lockUser(trx, user.id);
    await eraseUser(trx, user.id);
  };
  const answer = await amid(db, erase, () => register());
  assert.equal(answer.json().code, 'session_ended');
  const query = db.selectFrom('passkeys').select('id').where('user_id', '=', user.id);
  assert.deepEqual(await query.execute(), []);
});

for (const [body, pointer] of [
  [{}, '/id'],
  [{ id: '!', rawId: 'x', type: 'public-key', response: {} }, '/id'],
  [{ id: 'x', rawId: 'x', type: 'password', response: {} }, '/type'],
] as const) {
  test(`a malformed signature gets a 422: ${JSON.stringify(body)}`, async () => {
    const answer = await post('/session/passkey', body);
    assert.equal(answer.statusCode, 422);
    const pointers = answer.json().errors.map((error: { pointer: string }) => error.pointer);
    assert.ok(pointers.includes(pointer), pointers.join());
  });
}

test('a well-formed body without a valid signature is refused', async () => {
  const response = { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' };
  await refused(
    await post('/session/passkey', { id: 'x', rawId: 'x', type: 'public-key', response }),
  );
});

test('no challenge is in the log or the database', async () => {
  const before = lines.length;
  const challenge = await challengeToSign();
  await until('the request is logged', () =>
    lines.slice(before).some((line) => line.includes('A request was answered.')),
  );
  const everything = [...lines, ...(await rowsAbout(db))].join('\n');
  assert.ok(!everything.includes(challenge));
  const hex = Buffer.from(challenge, 'base64url').toString('hex');
  assert.ok(!everything.includes(hex));
});
