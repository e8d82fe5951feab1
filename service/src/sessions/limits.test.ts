import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { createLimiter, type Limits } from '../limits/limiter.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { createTestApp, generousLimits } from '../testing/app.ts';
import { createDevice } from '../testing/authenticator.ts';
import { inject } from '../testing/inject.ts';
import { cookieOf, createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { generateToken } from '../tokens/token.ts';
import { sessionRoutes } from './routes.ts';
import { generateSecret } from './secret.ts';

const { db, pool, close } = await createTestDatabase();
const { credentials } = await createTestUser(db);
const wrong = { ...credentials, password: 'guess' };
const few = { burst: 3, perSecond: 1e-6 };

const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
after(close);

/** A service whose clock stands still. */
async function serve(limits: Partial<Limits>) {
  const limiter = createLimiter({ ...generousLimits, ...limits }, () => 0);
  const app = await createTestApp(db, [sessionRoutes, passkeyRoutes, tokenRoutes], { limiter });
  apps.push(app);
  const get = (headers: Record<string, string>) => inject(app, { url: '/v1/session', headers });
  return {
    post: (url: string, payload?: object) => {
      return inject(app, { method: 'POST', url: `/v1${url}`, ...(payload && { payload }) });
    },
    withCookie: (secret: string) => get({ cookie: `berth=${secret}` }),
    withToken: (token: string) => get({ authorization: `Bearer ${token}` }),
  };
}

async function statuses(times: number, ask: () => ReturnType<typeof inject>) {
  const found: number[] = [];
  for (let at = 0; at < times; at += 1) found.push((await ask()).statusCode);
  return found;
}

test('only failed sign-ins count against the limit of attempts', async () => {
  const { post } = await serve({ attempts: few });
  assert.deepEqual(await statuses(5, () => post('/session', credentials)), Array(5).fill(201));
  assert.deepEqual(await statuses(3, () => post('/session', wrong)), [401, 401, 401]);
  const refused = await post('/session', credentials);
  assert.equal(refused.statusCode, 429);
  assert.match(refused.json().detail, /^There were too many attempts to sign in/);
});

test('concurrent sign-ins are checked only up to the limit of attempts', async () => {
  const { post } = await serve({ attempts: few });
  const answers = await Promise.all(Array.from({ length: 12 }, () => post('/session', wrong)));
  const found = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(found, [401, 401, 401, ...Array(9).fill(429)]);
});

test('starting a sign-in with a passkey has a separate limit, and is not an attempt', async () => {
  const { post } = await serve({ attempts: few, sign_in_starts: { ...few, burst: 5 } });
  const options = () => post('/session/passkey/options');
  const where = { origin: 'http://localhost:8080', rpId: 'localhost' };
  const device = createDevice();
  device.create({ challenge: generateSecret(), userId: 'x', ...where });
  const guess = async () => {
    const { challenge } = (await options()).json();
    return await post('/session/passkey', device.get({ challenge, ...where }));
  };
  assert.deepEqual(await statuses(3, guess), [401, 401, 401]);
  assert.deepEqual(await statuses(3, options), [200, 200, 429]);
  assert.equal((await post('/session', credentials)).statusCode, 429);
});

test('invalid tokens from an address do not prevent sign-ins from there', async () => {
  const { post, withToken } = await serve({ failures: few });
  const ask = () => withToken(generateToken());
  assert.deepEqual(await statuses(4, ask), [401, 401, 401, 429]);
  assert.equal((await post('/session', credentials)).statusCode, 201);
});

test('unknown cookies count as invalid tokens, and existing sessions continue', async (t) => {
  const { post, withCookie } = await serve({ failures: few });
  const known = cookieOf(await post('/session', credentials)).replace(/^berth=/, '');
  const ask = () => withCookie(generateSecret());
  assert.deepEqual(await statuses(3, ask), [401, 401, 401]);
  const connect = t.mock.method(pool, 'connect');
  const many = await Promise.all(Array.from({ length: 30 }, ask));
  assert.deepEqual(new Set(many.map(({ statusCode }) => statusCode)), new Set([429]));
  assert.equal(connect.mock.callCount(), 1);
  assert.match(many[0]?.json().detail, /cookies of ended sessions/);
  assert.equal((await withCookie(known)).statusCode, 200);
  assert.equal((await post('/session', credentials)).statusCode, 201);
});
