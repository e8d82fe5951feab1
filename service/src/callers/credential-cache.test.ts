import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { pino } from 'pino';
import { listenForNotifications } from '../db/notifications.ts';
import type { Role } from '../db/schema/people-schema.ts';
import type { Database } from '../db/schema/schema.ts';
import { deleteMember, putMember } from '../projects/members/queries.ts';
import { routes } from '../routes.ts';
import { deleteSession } from '../sessions/queries.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { everLonger } from '../testing/ever-longer.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { type StallingProxy, startStallingProxy } from '../testing/stalling-proxy.ts';
import { until } from '../testing/until.ts';
import { insertToken, revokeToken } from '../tokens/credential-queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import { eraseUser, updateUser } from '../users/queries.ts';
import type { App } from './app-types.ts';
import { createCredentialCache } from './credential-cache.ts';

// Tests two services with one database. Their caches expire after an hour, so only notifications make them look up
// credentials again.

const { db, pool, connectionString, close } = await createTestDatabase();
after(close);

const anHour = 3_600_000;
let queries: string[] = [];

async function startReplica({ keptMs = anHour, listensTo = connectionString } = {}) {
  const notifications = listenForNotifications(listensTo, pino({ enabled: false }));
  const counted = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void queries.push(query.sql),
  });
  const credentials = createCredentialCache(notifications, keptMs);
  const app = await createTestApp(counted, [...routes], { credentials });
  return { app, notifications, close: () => app.close().then(() => notifications.close()) };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

let place: Installation;
let serverId: number;
let a: Replica;
let b: Replica;
/** A relay between PostgreSQL and the listening connection of `b`. */
let line: StallingProxy;
before(async () => {
  place = await installation(db);
  serverId = await enterServer(db, place);
  a = await startReplica();
  line = await startStallingProxy(connectionString);
  b = await startReplica({ listensTo: line.connectionString });
});
after(async () => {
  await a.close();
  await b.close();
  await line.close();
});
const listens = ({ notifications }: Replica) =>
  until('notifications arrive', () => notifications.isUpToDate());
beforeEach(async () => {
  for (const replica of [a, b]) await listens(replica);
});

const ask = (app: App, headers: Record<string, string>, path = '/operations') =>
  inject(app, { url: `/v1${path}`, headers });
const statusOf = async (app: App, headers: Record<string, string>, path?: string) =>
  (await ask(app, headers, path)).statusCode;
const untilAnswered = (status: number, { app }: Replica, headers: Record<string, string>) =>
  until(
    `${status} is answered`,
    () => statusOf(app, headers),
    (seen) => seen === status,
  );

/** Sends requests until the credential is cached. */
async function warm(headers: Record<string, string>, replicas = [a, b]): Promise<void> {
  for (const { app } of replicas) {
    const look = async () => {
      assert.equal(await statusOf(app, headers), 200);
      queries = [];
      assert.equal(await statusOf(app, headers), 200);
      return queries;
    };
    await until('it is cached', look, ({ length }) => length === 1);
  }
}

async function signedIn(roles: Record<number, Role>, isAdmin = false) {
  const user = await createTestUser(db, { roles, isAdmin });
  return { id: user.id, ...(await signInAs(a.app, user.credentials)) };
}

test('a read with a recently used token or session is one query', async () => {
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  const person = await signedIn({ [place.projectId]: 'viewer' });
  for (const who of [headers, person.headers]) {
    await warm(who);
    const look = async () => {
      const asked: string[][] = [];
      for (const path of [`/servers/${serverId}`, '/operations', '/locations']) {
        queries = [];
        assert.equal(await statusOf(b.app, who, path), 200);
        asked.push(queries);
      }
      return asked;
    };
    // On a busy machine, the listening connection may have been silent for a second. Nothing is cached then.
    const isOneEach = (asked: string[][]) => asked.every(({ length }) => length === 1);
    await until('each request is one query', look, isOneEach);
  }
});

test('a token that is revoked at one replica is invalid at all', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:write'] });
  await warm(headers);
  const url = `/v1/tokens/${id}`;
  const revoked = await inject(a.app, { method: 'DELETE', url, headers });
  assert.equal(revoked.statusCode, 200);
  assert.equal(await statusOf(a.app, headers), 401);
  await untilAnswered(401, b, headers);
});

test('invalid credentials are not cached', async () => {
  const token = generateToken();
  const headers = { authorization: `Bearer ${token}` };
  assert.equal(await statusOf(b.app, headers), 401);
  const { projectId } = place;
  const scopes = ['servers:read'];
  const hash = tokenHash(token);
  await insertToken(db, { projectId, name: 'late', hash, scopes, expiresAt: null });
  assert.equal(await statusOf(b.app, headers), 200);
});

test('a permission that a user loses is lost at all replicas', async () => {
  const { projectId } = place;
  const person = await signedIn({ [projectId]: 'owner' });
  const payload = { name: 'theirs', scopes: ['servers:write'] };
  const post = { method: 'POST', url: '/v1/tokens' } as const;
  const made = await inject(a.app, { ...post, headers: person.headers, payload });
  const token = { authorization: `Bearer ${made.json().token}` };
  const change = (headers: Record<string, string>) =>
    inject(b.app, { ...post, headers, payload: { ...payload, scopes: ['servers:read'] } });

  await warm(person.headers);
  await warm(token);
  await db
    .transaction()
    .execute((trx) => putMember(trx, { projectId, userId: person.id, role: 'viewer' }));
  for (const who of [person.headers, token]) {
    const look = async () => (await change(who)).statusCode;
    await until('403 is answered', look, (status) => status === 403);
  }
  await warm(person.headers);
  await warm(token);
  await db.transaction().execute((trx) => deleteMember(trx, projectId, person.id));
  await untilAnswered(404, b, person.headers);
  await untilAnswered(401, b, token);
});

const ends: Record<string, (id: number) => Promise<unknown>> = {
  'is disabled': (id) =>
    db.transaction().execute((trx) => updateUser(trx, id, { isDisabled: true })),
  'is deleted': (id) => db.transaction().execute((trx) => eraseUser(trx, id)),
  'signed out': async (userId) => {
    const query = db.selectFrom('sessions').select('id').where('user_id', '=', userId);
    await deleteSession(db, await query.executeTakeFirstOrThrow());
  },
};
for (const [what, end] of Object.entries(ends)) {
  test(`the session of a user who ${what} is invalid at all replicas`, async () => {
    const person = await signedIn({ [place.projectId]: 'viewer' });
    await warm(person.headers);
    await end(person.id);
    for (const replica of [a, b]) await untilAnswered(401, replica, person.headers);
  });
}

test('a former administrator can not act in other projects', async () => {
  const other = String(await createTestProject(db, 'administered'));
  const { headers: admin } = await createTestToken(db);
  const person = await signedIn({ [place.projectId]: 'viewer' }, true);
  const elsewhere = { ...person.headers, 'berth-project': other };
  await warm(elsewhere);
  const url = `/v1/users/${person.id}`;
  const payload = { is_admin: false };
  await inject(a.app, { method: 'PATCH', url, headers: admin, payload });
  assert.equal(await statusOf(a.app, elsewhere), 404);
  await untilAnswered(404, b, elsewhere);
});

test('deleted and new projects are seen at once', async () => {
  const { headers: admin } = await createTestToken(db);
  const payload = { name: 'soon gone' };
  const made = await inject(a.app, {
    method: 'POST',
    url: '/v1/projects',
    headers: admin,
    payload,
  });
  const { id } = made.json();
  const inIt = { ...admin, 'berth-project': String(id) };
  await warm(inIt);
  await inject(a.app, { method: 'DELETE', url: `/v1/projects/${id}`, headers: admin });
  assert.equal(await statusOf(a.app, inIt), 404);
  await untilAnswered(404, b, inIt);
});

test('the networks of a token are checked for each request', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await sql`update tokens set allowed_networks = '{127.0.0.0/8,2001:db8::/32}' where id = ${id}`.execute(
    db,
  );
  await warm(headers);
  const from = async (remoteAddress: string) =>
    (await inject(b.app, { url: '/v1/servers', headers, remoteAddress })).statusCode;
  for (const address of ['127.9.9.9', '2001:db8::5', '::ffff:127.0.0.1']) {
    assert.equal(await from(address), 200, address);
  }
  for (const address of ['192.0.2.1', '2001:db9::5'])
    assert.equal(await from(address), 403, address);
});

test('a cached token expires on time', async () => {
  await everLonger(async (seconds) => {
    const expiresAt = new Date(Date.now() + seconds * 1000);
    const { headers } = await createTestToken(db, { expiresAt });
    await warm(headers, [b]);
    const code = async () => (await ask(b.app, headers)).json().code;
    await until('it has expired', code, (seen) => seen === 'token_expired');
  });
});

test('cached credentials are looked up again after a while, without any notification', async () => {
  const soon = await startReplica({ keptMs: 50 });
  await listens(soon);
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers, [soon]);
  const look = async () => {
    queries = [];
    await ask(soon.app, headers);
    return queries;
  };
  await until('the token is looked up', look, ({ length }) => length === 2);
  await soon.close();
});

test('the last use is recorded, and does not slow down later requests', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  const query = db.selectFrom('tokens').select('last_used_at').where('id', '=', id);
  await until(
    'the use is recorded',
    async () => (await query.executeTakeFirstOrThrow()).last_used_at,
  );
});

test('nothing is cached while the connection for notifications is lost', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  const lost = new Promise<void>((resolve) => b.notifications.onLost(resolve));
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'berth-listen' and datname = current_database()`,
  );
  await revokeToken(db, id);
  await lost;
  assert.equal(await statusOf(b.app, headers), 401);
});

test('nothing is cached while the connection for notifications is silent', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  line.stall();
  try {
    await revokeToken(db, id);
    await untilAnswered(401, b, headers);
    const { headers: others } = await createTestToken(db, { scopes: ['servers:read'] });
    for (let times = 0; times < 3; times += 1) {
      queries = [];
      assert.equal(await statusOf(b.app, others), 200);
      assert.ok(queries.length >= 2, 'each request is looked up');
    }
  } finally {
    line.resume();
  }
});

/** A cache whose notifications are always current, and a function that tells it of a change. */
function cacheAlone() {
  const handlers = new Map<string, () => void>();
  const notifications = {
    on: (name: string, handler: () => void) => void handlers.set(name, handler),
    onLost: () => undefined,
    isUpToDate: () => true,
  };
  const cache = createCredentialCache(notifications as never);
  return { cache, changed: () => handlers.get('credentials_changed')?.() };
}

test('a lookup during a change is not cached', async () => {
  const { cache, changed } = cacheAlone();
  const before = { expiresInMs: null };
  const found = await cache.find('k', async () => {
    changed();
    return before;
  });
  assert.equal(found, before);
  assert.equal(await cache.find('k', async () => undefined), undefined);
});

test('a credential that has expired is not cached', async () => {
  const { cache } = cacheAlone();
  for (const expiresInMs of [0, -1]) {
    const expired = { expiresInMs };
    assert.equal(await cache.find('k', async () => expired), expired);
    assert.equal(await cache.find('k', async () => undefined), undefined);
  }
});

test('lookups of the same credential at the same time are one, except those after a change', async () => {
  const { cache, changed } = cacheAlone();
  const lookups: PromiseWithResolvers<{ expiresInMs: null; nth: number }>[] = [];
  const find = () =>
    cache.find('k', () => {
      const lookup = Promise.withResolvers<{ expiresInMs: null; nth: number }>();
      lookups.push(lookup);
      return lookup.promise;
    });
  const early = [find(), find()];
  changed();
  const late = [find(), find()];
  const answer = (nth: number) => lookups[nth]?.resolve({ expiresInMs: null, nth });
  answer(0);
  await Promise.all(early);
  late.push(find());
  for (const nth of lookups.keys()) answer(nth);
  const found = await Promise.all([...early, ...late]);
  assert.deepEqual(
    found.map((one) => one?.nth),
    [0, 0, 1, 1, 1],
  );
  assert.equal(await find(), found[3]);
  assert.equal(lookups.length, 2);
});
