import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { migrate, migrationNames } from '../db/migrate.ts';
import { createLimiter, type Limits } from '../limits/limiter.ts';
import { createTestApp, generousLimits } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { type Credentials, createTestUser } from '../testing/people.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { passwordGate, stranger } from '../users/password.ts';
import { deleteUser } from '../users/users.ts';
import { deleteOldNetworks } from './network-queries.ts';
import { sessionRoutes } from './routes.ts';

// Tests password attempts from many addresses, and which users they affect.

const { db, close } = await createTestDatabase();
after(close);

const slowly = (burst: number) => ({ burst, perSecond: 1e-6 });
const limits = {
  attempts: slowly(4),
  networks: slowly(8),
  accounts: slowly(5),
  strangers: slowly(2),
};

const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

let user: Awaited<ReturnType<typeof createTestUser>>;
beforeEach(async () => {
  user = await createTestUser(db);
});

/** A service whose clock stands still. */
async function serve(some: Partial<Limits>) {
  const limiter = createLimiter({ ...generousLimits, ...some }, () => 0);
  const app = await createTestApp(db, [sessionRoutes], { limiter });
  apps.push(app);
  const signIn = (from: string, payload: Credentials) =>
    inject(app, { method: 'POST', url: '/v1/session', payload, remoteAddress: from });
  const guess = async (from: string, email = user.email) =>
    (await signIn(from, { email, password: 'guess' })).statusCode;
  return { signIn, guess };
}

/** Calls `guess` so many times, with the index from 0. */
async function guesses(times: number, guess: (at: number) => Promise<number>) {
  const found: number[] = [];
  for (let at = 0; at < times; at += 1) found.push(await guess(at));
  return found;
}

const wide = { attempts: limits.attempts, networks: limits.networks };
const refusedAfter = (good: number, times: number) => [
  ...Array(good).fill(401),
  ...Array(times - good).fill(429),
];

test('all sign-in attempts from an IPv6 /48 share one limit', async () => {
  const { signIn, guess } = await serve(wide);
  const found = await guesses(12, (at) => guess(`2001:db8:1:${at}::7`, `${at}@example.com`));
  assert.deepEqual(found, refusedAfter(8, 12));
  assert.deepEqual(
    await guesses(5, () => guess('2001:db8:2:1::7')),
    refusedAfter(4, 5),
    'a /64 of another /48',
  );
  assert.deepEqual(await guesses(9, (at) => guess(`192.0.2.${at}`)), Array(9).fill(401), 'IPv4');
  const { statusCode } = await signIn('2001:db8:3::1', user.credentials);
  assert.equal(statusCode, 201);
});

test('attempts from elsewhere in the /48 do not lock a user out of a known network', async () => {
  const { signIn, guess } = await serve(wide);
  assert.equal((await signIn('2001:db8:1:7::1', user.credentials)).statusCode, 201);
  await guesses(9, (at) => guess(`2001:db8:1:a${at}::7`));
  assert.equal((await signIn('2001:db8:1:8::1', user.credentials)).statusCode, 429);
  assert.equal((await signIn('2001:db8:1:7::2', user.credentials)).statusCode, 201);
});

test('attempts on one account from many addresses are limited, and its user can still sign in', async () => {
  const { signIn, guess } = await serve(limits);
  assert.equal((await signIn('203.0.113.7', user.credentials)).statusCode, 201);
  assert.deepEqual(await guesses(5, (at) => guess(`192.0.2.${at}`)), Array(5).fill(401));
  assert.deepEqual(await guesses(3, () => guess('198.51.100.1')), refusedAfter(2, 3));
  const refused = await signIn('198.51.100.1', user.credentials);
  assert.equal(refused.statusCode, 429);
  assert.match(
    refused.json().detail,
    /^There were too many attempts to sign in with this email address/,
  );
  assert.ok(Number(refused.headers['retry-after']) > 0);
  for (let times = 0; times < 6; times += 1) {
    assert.equal((await signIn('203.0.113.7', user.credentials)).statusCode, 201, 'from home');
  }
  const { credentials } = await createTestUser(db);
  assert.equal((await signIn('192.0.2.1', credentials)).statusCode, 201, 'another person');
  const elsewhere = await signIn('198.51.100.2', user.credentials);
  assert.equal(elsewhere.statusCode, 201, 'from an unknown network');
});

test('attempts on an unknown email address are limited as those on a known one', async () => {
  const found = async (email: string) => {
    const { guess } = await serve(limits);
    return [
      await guesses(5, (at) => guess(`192.0.2.${at}`, email)),
      await guesses(4, () => guess('198.51.100.1', email)),
      await guesses(3, (at) => guess(`2001:db8:0:${at}::1`, email)),
    ];
  };
  const known = await found(user.email);
  assert.deepEqual(known[1], refusedAfter(2, 4));
  assert.deepEqual(known[2], refusedAfter(2, 3));
  assert.deepEqual(await found('nobody@example.com'), known);
  assert.deepEqual(await found(user.email.toUpperCase()), known);
});

test('a network is known for 30 days after a sign-in, and deleted with its user', async () => {
  const { signIn } = await serve({});
  const networks = async () => {
    const query = db.selectFrom('known_networks').select('network');
    return (await query.where('user_id', '=', user.id).orderBy('network').execute()).map(
      ({ network }) => network,
    );
  };
  for (const from of ['192.0.2.9', '2001:db8:1:2:3::4', '2001:db8:1:2:5::6', '::ffff:192.0.2.9']) {
    assert.equal((await signIn(from, user.credentials)).statusCode, 201);
  }
  assert.deepEqual(await networks(), ['192.0.2.9/32', '2001:db8:1:2::/64']);
  await sql`update known_networks set used_at = now() - interval '31 days'
    where user_id = ${user.id} and family(network) = 4`.execute(db);
  assert.equal(await deleteOldNetworks(db), 1);
  assert.deepEqual(await networks(), ['2001:db8:1:2::/64']);
  await db.transaction().execute((trx) => deleteUser(trx, user.id, null));
  assert.deepEqual(await networks(), []);
});

test('an upgrade makes the networks of existing sessions known', async (t) => {
  const earlier = await createEmptyDatabase();
  t.after(earlier.close);
  const before = (await migrationNames()).filter((name) => name < '0027').at(-1);
  await migrate(earlier.db, before);
  await earlier.pool.query(`
    insert into users (email, name) values ('ada@example.com', 'Ada');
    insert into sessions (secret_sha256, user_id, address, user_agent, expires_at)
    select at.address::bytea, users.id, at.address::inet, '', now() + interval '1 hour'
    from users, unnest('{192.0.2.9,2001:db8:1:2:3::4,2001:db8:1:2:5::6}'::text[]) at (address)`);
  await migrate(earlier.db);
  const { rows } = await earlier.pool.query('select network from known_networks order by network');
  assert.deepEqual(rows, [{ network: '192.0.2.9/32' }, { network: '2001:db8:1:2::/64' }]);
});

test('one network cannot fill the queue for password hashing', async () => {
  const { signIn } = await serve({});
  const { promise, resolve } = Promise.withResolvers<void>();
  const gaveWay = Promise.withResolvers<unknown>();
  const flood = Array.from({ length: 34 }, () =>
    passwordGate.run(stranger('2001:db8:1:7::7'), () => promise).catch(gaveWay.resolve),
  );
  assert.equal((await signIn('2001:db8:1:8::8', user.credentials)).statusCode, 503);
  const mine = signIn('2001:db8:2::1', user.credentials);
  assert.match(String(await gaveWay.promise), /Too many passwords/);
  resolve();
  assert.equal((await mine).statusCode, 201);
  await Promise.all(flood);
});

test('many unknown networks cannot fill the queue for password hashing', async () => {
  const { signIn } = await serve({});
  assert.equal((await signIn('203.0.113.7', user.credentials)).statusCode, 201);
  const { promise, resolve } = Promise.withResolvers<void>();
  const gaveWay = Promise.withResolvers<unknown>();
  const flood = Array.from({ length: 34 }, (_, at) =>
    passwordGate.run(stranger(`198.${at}.100.1`), () => promise).catch(gaveWay.resolve),
  );
  const refused = await signIn('192.0.2.1', user.credentials);
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '2']);
  const mine = signIn('203.0.113.7', user.credentials);
  assert.match(String(await gaveWay.promise), /Too many passwords/);
  resolve();
  assert.equal((await mine).statusCode, 201);
  await Promise.all(flood);
});

test('many addresses of one block cannot fill the queue for password hashing', async () => {
  const { signIn } = await serve({});
  const { promise, resolve } = Promise.withResolvers<void>();
  const gaveWay = Promise.withResolvers<unknown>();
  const flood = Array.from({ length: 34 }, (_, at) =>
    passwordGate.run(stranger(`198.51.100.${at}`), () => promise).catch(gaveWay.resolve),
  );
  assert.equal((await signIn('198.51.7.1', user.credentials)).statusCode, 503);
  const mine = signIn('192.0.2.1', user.credentials);
  assert.match(String(await gaveWay.promise), /Too many passwords/);
  resolve();
  assert.equal((await mine).statusCode, 201);
  await Promise.all(flood);
});
