import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { pino } from 'pino';
import { listenForNotifications } from '../db/notifications.ts';
import type { Role } from '../db/people-schema.ts';
import type { Database } from '../db/schema.ts';
import { deleteMember, putMember } from '../memberships/queries.ts';
import { routes } from '../routes.ts';
import { deleteSession } from '../sessions/queries.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { insertToken, revokeToken } from '../tokens/credential-queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import { eraseUser, updateUser } from '../users/queries.ts';
import type { App } from './app-types.ts';
import { createCredentialCache } from './credential-cache.ts';

// Two services of one database. What they keep, they would keep for an hour: only what they are told
// makes them look anew.

const { db, pool, connectionString, close } = await createTestDatabase();
after(close);

const anHour = 3_600_000;
let queries: string[] = [];

async function startReplica(keptMs = anHour) {
  const notifications = listenForNotifications(connectionString, pino({ enabled: false }));
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
before(async () => {
  place = await installation(db);
  serverId = await enterServer(db, place);
  a = await startReplica();
  b = await startReplica();
});
after(async () => {
  await a.close();
  await b.close();
});
beforeEach(async () => {
  for (const replica of [a, b]) await until(async () => replica.notifications.isUpToDate());
});

/** Far longer than it may take. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 1000; looks += 1) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error('It did not come about.');
}

const ask = (app: App, headers: Record<string, string>, path = '/servers') =>
  inject(app, { url: `/v1${path}`, headers });
const statusOf = async (app: App, headers: Record<string, string>, path?: string) =>
  (await ask(app, headers, path)).statusCode;

/** Asks so that the next request knows it already. */
async function warm(headers: Record<string, string>, replicas = [a, b]): Promise<void> {
  for (const { app } of replicas) {
    await until(async () => {
      queries = [];
      assert.equal(await statusOf(app, headers), 200);
      return queries.length === 1;
    });
  }
}

async function signedIn(roles: Record<number, Role>, isAdmin = false) {
  const user = await createTestUser(db, { roles, isAdmin });
  return { id: user.id, ...(await signInAs(a.app, user.credentials)) };
}

test('a read with a token or a session that was used just now is one query', async () => {
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  const person = await signedIn({ [place.projectId]: 'viewer' });
  for (const who of [headers, person.headers]) {
    await warm(who);
    for (const path of ['/servers', `/servers/${serverId}`, '/operations', '/locations']) {
      queries = [];
      assert.equal(await statusOf(b.app, who, path), 200);
      assert.equal(queries.length, 1, `${path}: ${queries.join('\n')}`);
    }
  }
});

test('a token that is revoked at one holds nowhere any longer', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:write'] });
  await warm(headers);
  const url = `/v1/tokens/${id}`;
  const revoked = await inject(a.app, { method: 'DELETE', url, headers });
  assert.equal(revoked.statusCode, 200);
  assert.equal(await statusOf(a.app, headers), 401);
  await until(async () => (await statusOf(b.app, headers)) === 401);
});

test('nothing is kept of one that is not good', async () => {
  const token = generateToken();
  const headers = { authorization: `Bearer ${token}` };
  assert.equal(await statusOf(b.app, headers), 401);
  const { projectId } = place;
  const scopes = ['servers:read'];
  const hash = tokenHash(token);
  await insertToken(db, { projectId, name: 'late', hash, scopes, expiresAt: null });
  assert.equal(await statusOf(b.app, headers), 200);
});

test('what a person may no longer holds nowhere any longer', async () => {
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
    await until(async () => (await change(who)).statusCode === 403);
  }
  await warm(person.headers);
  await warm(token);
  await db.transaction().execute((trx) => deleteMember(trx, projectId, person.id));
  await until(async () => (await statusOf(b.app, person.headers)) === 404);
  await until(async () => (await statusOf(b.app, token)) === 401);
});

const ends: Record<string, (id: number) => Promise<unknown>> = {
  'is shut out': (id) =>
    db.transaction().execute((trx) => updateUser(trx, id, { isDisabled: true })),
  'is deleted': (id) => db.transaction().execute((trx) => eraseUser(trx, id)),
  'signed out': async (userId) => {
    const query = db.selectFrom('sessions').select('id').where('user_id', '=', userId);
    await deleteSession(db, await query.executeTakeFirstOrThrow());
  },
};
for (const [what, end] of Object.entries(ends)) {
  test(`the session of a person who ${what} holds nowhere any longer`, async () => {
    const person = await signedIn({ [place.projectId]: 'viewer' });
    await warm(person.headers);
    await end(person.id);
    for (const { app } of [a, b]) {
      await until(async () => (await statusOf(app, person.headers)) === 401);
    }
  });
}

test('an administrator who is none any longer acts in no other project', async () => {
  const other = String(await createTestProject(db, 'administered'));
  const { headers: admin } = await createTestToken(db);
  const person = await signedIn({ [place.projectId]: 'viewer' }, true);
  const elsewhere = { ...person.headers, 'berth-project': other };
  await warm(elsewhere);
  const url = `/v1/users/${person.id}`;
  const payload = { is_admin: false };
  await inject(a.app, { method: 'PATCH', url, headers: admin, payload });
  assert.equal(await statusOf(a.app, elsewhere), 404);
  await until(async () => (await statusOf(b.app, elsewhere)) === 404);
});

test('a project that was deleted, or that is new, is at once', async () => {
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
  await until(async () => (await statusOf(b.app, inIt)) === 404);
});

test('each request is asked for the networks of the token', async () => {
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

test('a token that expires does so although it is known', async () => {
  const { headers } = await createTestToken(db, { expiresAt: new Date(Date.now() + 1500) });
  await warm(headers, [b]);
  await until(async () => (await ask(b.app, headers)).json().code === 'token_expired');
});

test('what is kept is looked up anew after a while, whatever is told', async () => {
  const soon = await startReplica(50);
  await until(async () => soon.notifications.isUpToDate());
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers, [soon]);
  await until(async () => {
    queries = [];
    await ask(soon.app, headers);
    return queries.length === 2;
  });
  await soon.close();
});

test('the last use is noted, and costs the requests after it nothing', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  const query = db.selectFrom('tokens').select('last_used_at').where('id', '=', id);
  await until(async () => (await query.executeTakeFirstOrThrow()).last_used_at !== null);
});

/** Of all that listen to this database. */
async function listeningPids(): Promise<number[]> {
  const { rows } = await pool.query(
    "select pid from pg_stat_activity where application_name = 'berth-listen' and datname = current_database()",
  );
  return rows.map(({ pid }) => pid);
}

test('who listens no longer keeps nothing: the connection is lost', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  const lost = new Promise<void>((resolve) => b.notifications.onLost(resolve));
  await pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [
    await listeningPids(),
  ]);
  await revokeToken(db, id);
  await lost;
  assert.equal(await statusOf(b.app, headers), 401);
});

test('who listens no longer keeps nothing: the connection is silent', async () => {
  const { headers, id } = await createTestToken(db, { scopes: ['servers:read'] });
  await warm(headers);
  const pids = await listeningPids();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await revokeToken(db, id);
    await until(async () => (await statusOf(b.app, headers)) === 401);
    const { headers: others } = await createTestToken(db, { scopes: ['servers:read'] });
    for (let times = 0; times < 3; times += 1) {
      queries = [];
      assert.equal(await statusOf(b.app, others), 200);
      assert.ok(queries.length >= 2, 'each request is looked up');
    }
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
});

test('a lookup that was under way at a change is not kept', async () => {
  let changed = () => {};
  const notifications = {
    on: (_name: string, handler: () => void) => {
      changed = handler;
      return () => undefined;
    },
    onLost: () => () => undefined,
    isUpToDate: () => true,
    close: async () => undefined,
  };
  const cache = createCredentialCache(notifications as never);
  const before = { expiresInMs: null };
  const found = await cache.find('k', async () => {
    changed();
    return before;
  });
  assert.equal(found, before);
  assert.equal(await cache.find('k', async () => undefined), undefined);
});
