import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { createLimiter, type Limits } from '../limits/limiter.ts';
import { homeProject } from '../projects/queries.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, generousLimits } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { amid, untilWaiting } from '../testing/locks.ts';
import { auditOf, browser, cookieOf, createTestUser, goodPassword } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { generateCode } from './code.ts';
import { offerSetup } from './offer.ts';
import { setupRoutes } from './routes.ts';

// Each test has an installation without users.

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let folder: string;
let code: string;
let apps: App[];

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'berth-setup-'));
  apps = [];
  code = await begin();
});
afterEach(async () => {
  for (const app of apps) await app.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a start of the service does. Returns the code. */
async function begin(): Promise<string> {
  const offered = await offerSetup(database.db, folder);
  assert.ok(typeof offered === 'object', String(offered));
  return offered.code;
}

/** A service whose clock stands still. */
async function serve(limits: Partial<Limits> = {}) {
  const limiter = createLimiter({ ...generousLimits, ...limits }, () => 0);
  const app = await createTestApp(database.db, [setupRoutes, sessionRoutes], { limiter });
  apps.push(app);
  const ada = { name: 'Ada', email: 'ada@example.com', password: goodPassword };
  const post = (given: object = {}, headers: Record<string, string> = {}) =>
    inject(app, { method: 'POST', url: '/v1/setup', headers, payload: { code, ...ada, ...given } });
  const isOpen = async () => (await inject(app, { url: '/v1/setup' })).json();
  return { app, post, isOpen };
}

const users = () => database.db.selectFrom('users').select(['email', 'is_admin']).execute();
const wrongFields = (answer: Awaited<ReturnType<typeof inject>>) => {
  assert.equal(answer.statusCode, 422, answer.body);
  return answer.json().errors.map(({ pointer }: { pointer: string }) => pointer);
};
const closed = [409, 'setup_closed'];

test('the code creates an administrator, who is signed in and owns the default project', async () => {
  const { db } = database;
  const { app, post, isOpen } = await serve();
  assert.deepEqual(await isOpen(), { open: true });
  const answer = await post();
  assert.equal(answer.statusCode, 201, answer.body);
  const { user, projects, csrf_token } = answer.json();
  assert.deepEqual(user, { ...user, name: 'Ada', email: 'ada@example.com', is_admin: true });
  const home = await db.transaction().execute(homeProject);
  assert.deepEqual(projects, [{ id: home, name: 'default', role: 'owner' }]);
  const { ask } = browser(app, cookieOf(answer), csrf_token);
  assert.equal((await ask('GET', '/session')).json().user.id, user.id);
  const ended = await ask('DELETE', '/session');
  assert.equal(ended.statusCode, 200, 'the CSRF token is valid');
  const credentials = { email: 'ada@example.com', password: goodPassword };
  const again = await inject(app, { method: 'POST', url: '/v1/session', payload: credentials });
  assert.equal(again.statusCode, 201);
  assert.deepEqual(await isOpen(), { open: false });
});

test('the audit log has the administrator and their membership, and nothing has the code', async () => {
  const { db } = database;
  const { post } = await serve();
  const { user } = (await post()).json();
  const [entry] = await auditOf(db, 'setup_complete');
  assert.deepEqual(
    [entry?.status, entry?.user_id, entry?.target_kind, entry?.target_id],
    [201, user.id, 'user', user.id],
  );
  const [member] = await auditOf(db, 'member_add');
  assert.deepEqual([member?.user_id, member?.target_id], [user.id, user.id]);
  assert.ok(member?.project_id);
  const { rows } = await sql`select i.*, a.* from installation i, audit_log a`.execute(db);
  for (const secret of [code, code.replaceAll('-', '')])
    assert.ok(!JSON.stringify(rows).includes(secret));
});

test('the code can be typed in lower case, with blanks, and with letters that look like its digits', async () => {
  const { post } = await serve();
  const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
  assert.equal((await post({ code: ` ${typed} ` })).statusCode, 201);
});

test('a wrong code is refused, names its field, and is entered in the audit log', async () => {
  const { db } = database;
  const { post, isOpen } = await serve();
  const answer = await post({ code: generateCode() });
  assert.deepEqual(wrongFields(answer), ['/code']);
  assert.match(answer.json().detail, /Enter the code of the last start/);
  assert.deepEqual([await users(), await isOpen()], [[], { open: true }]);
  const [entry] = await until('the refusal is entered', async () => {
    const entries = await auditOf(db, 'setup_complete');
    return entries.length > 0 && entries;
  });
  assert.deepEqual([entry?.status, entry?.user_id], [422, null]);
});

test('a weak password and missing fields are named, and the code stays valid', async () => {
  const { post } = await serve();
  assert.deepEqual(wrongFields(await post({ password: 'password' })), ['/password']);
  assert.deepEqual(wrongFields(await post({ email: 'ada', name: '' })), ['/name', '/email']);
  assert.deepEqual(wrongFields(await post({ code: '' })), ['/code']);
  assert.equal((await post()).statusCode, 201);
});

test('a code that has expired is refused, until the next start makes another one', async () => {
  const { db } = database;
  const { post, isOpen } = await serve();
  await sql`update installation set setup_code_expires_at = now()`.execute(db);
  assert.deepEqual(await isOpen(), { open: false });
  const answer = await post();
  assert.deepEqual([answer.statusCode, answer.json().code], closed);
  const before = code;
  code = await begin();
  assert.deepEqual(wrongFields(await post({ code: before })), ['/code']);
  assert.equal((await post()).statusCode, 201);
});

test('a used code is refused, and so is the right one once a tool has created a user', async () => {
  const { db } = database;
  const { post, isOpen } = await serve();
  await createTestUser(db);
  assert.deepEqual(await isOpen(), { open: false });
  const answer = await post();
  assert.deepEqual([answer.statusCode, answer.json().code], closed);
  await sql`update users set deleted_at = now(), email = ''`.execute(db);
  assert.deepEqual((await post()).json().code, 'setup_closed', 'also once the user is deleted');
});

test('of concurrent requests with the right code, one succeeds', async () => {
  const { db } = database;
  const { post } = await serve();
  const hold = (trx: Trx) => sql`select from installation for update`.execute(trx);
  const both = () => {
    const asked = Promise.all([post(), post({ email: 'eve@example.com' })]);
    return Promise.race([untilWaiting(db, 2), asked]).then(() => asked);
  };
  const answers = await amid(db, hold, both);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409]);
  const made = answers.find(({ statusCode }) => statusCode === 201)?.json().user.email;
  assert.deepEqual(await users(), [{ email: made, is_admin: true }]);
});

test('a code that a start replaces during the request is refused', async () => {
  const { post } = await serve();
  const replace = (trx: Trx) =>
    sql`update installation set setup_code_sha256 = sha256('another')`.execute(trx);
  assert.deepEqual(wrongFields(await amid(database.db, replace, () => post())), ['/code']);
  assert.deepEqual(await users(), []);
});

test('wrong codes are limited as wrong passwords are, and weak passwords are not', async () => {
  const few = { burst: 3, perSecond: 1e-6 };
  const { post } = await serve({ attempts: few });
  for (let times = 0; times < 4; times += 1)
    assert.deepEqual(wrongFields(await post({ password: 'password' })), ['/password']);
  for (let times = 0; times < 3; times += 1)
    assert.deepEqual(wrongFields(await post({ code: generateCode() })), ['/code']);
  const refused = await post();
  assert.equal(refused.statusCode, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  const other = await serve({ networks: few });
  for (let times = 0; times < 3; times += 1) await other.post({ code: 'guess' });
  assert.equal((await other.post()).statusCode, 429, 'from one network');
});

test('a page of another site cannot use the code', async () => {
  const { post } = await serve();
  const foreign = await post({}, { origin: 'https://evil.example' });
  assert.deepEqual([foreign.statusCode, foreign.json().code], [403, 'csrf_failed']);
  assert.equal((await post({}, { origin: 'http://localhost:8080' })).statusCode, 201);
});
