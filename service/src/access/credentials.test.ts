import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { type CredentialCache, noCredentialCache } from '../callers/credential-cache.ts';
import { changesNothing } from '../changes/change.ts';
import { createLimiter, type Limits } from '../limits/limiter.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken, generousLimits } from '../testing/app.ts';
import { keptLog } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { untilWaiting } from '../testing/locks.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import { callerOf, isRemembered, personOf, refusedTokenOf } from './authentication.ts';
import { identifyBySession } from './by-session.ts';
import { identifyByToken } from './by-token.ts';

const { db, pool, close } = await createTestDatabase();
after(close);

const probes = {
  caller: { scope: 'servers:read' },
  change: { scope: 'servers:write' },
  anywhere: { scope: 'servers:read', worksWithoutProject: true },
  confirmed: { scope: 'servers:read', needsConfirmation: true },
  administration: { scope: 'admin' },
  'without-database': { scope: 'servers:read', worksWithoutDatabase: true },
} as const;

/** What happens between the authentication of a request to `again` and the second one. */
let between: () => Promise<unknown> = async () => undefined;
/** What was known of the sender of each request when it was answered. */
let known: unknown[] = [];

function probeRoutes(api: App): void {
  const schema = { response: { 200: Type.Any() } };
  api.addHook('onSend', async (request) => {
    const { tokenId } = callerOf(request) ?? {};
    known.push([refusedTokenOf(request), tokenId, personOf(request)?.userId]);
  });
  const body = Type.Object({ size: Type.Number() });
  api.post('/change', { config: probes.change, schema: { ...schema, body } }, (request) =>
    changesNothing(request, Promise.resolve({})),
  );
  api.get('/again', { config: { scope: 'servers:write' }, schema }, async (request) => {
    await between();
    const { caller, person: who } = await api.identifyAgain(request);
    return { tokenId: caller?.tokenId, userId: who?.userId };
  });
  for (const [path, config] of Object.entries(probes)) {
    api.get(`/${path}`, { config, schema }, async (request) => ({
      caller: callerOf(request) ?? null,
      isRemembered: isRemembered(request),
    }));
  }
  api.get('/person', { config: { scope: 'person' }, schema }, async ({ person }) => ({
    userId: person.userId,
  }));
  const config = { scope: 'servers:read' } as const;
  api.get('/careless', { config, schema }, async ({ person }) => ({ userId: person.userId }));
}

/** The cached results of lookups by key. They never expire here. */
const kept = new Map<string, object>();
let isAway = false;
const credentials: CredentialCache = {
  async find(key, lookUp) {
    if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const found = await lookUp();
    if (found) kept.set(key, found);
    return found;
  },
  clear: () => undefined,
};

let app: App;
before(async () => {
  app = await createTestApp(db, [probeRoutes, sessionRoutes], { credentials });
});
after(() => app.close());
beforeEach(() => kept.clear());

const ask = (path: string, headers: Record<string, string>, to = app) =>
  inject(to, { url: `/v1/${path}`, headers });

async function refusal(answer: ReturnType<typeof ask>) {
  const { code, detail } = (await answer).json();
  return [code, detail];
}

const person = async (options: Parameters<typeof createTestUser>[1] = {}) => {
  const { id, credentials: own } = await createTestUser(db, options);
  return { id, ...(await signInAs(app, own)) };
};

test('a user without a project can use routes that need none, and no project', async () => {
  const { headers } = await person();
  assert.equal((await ask('anywhere', headers)).json().caller, null);
  assert.deepEqual(await refusal(ask('caller', headers)), [
    'project_not_found',
    'You are not a member of any project. Ask an administrator, or an owner of a project, to add you.',
  ]);
  for (const path of ['anywhere', 'caller']) {
    assert.deepEqual(await refusal(ask(path, { ...headers, 'berth-project': '4711' })), [
      'project_not_found',
      'No project has the id 4711.',
    ]);
  }
});

test('tokens can not use routes for signed-in users', async () => {
  const { headers: token } = await createTestToken(db);
  assert.equal((await refusal(ask('person', token)))[0], 'person_required');
  assert.equal((await ask('careless', token)).statusCode, 500);
  const { id, headers } = await person({ isAdmin: true });
  for (const path of ['person', 'careless']) {
    assert.deepEqual((await ask(path, headers)).json(), { userId: id });
  }
});

test('a session sets the caller of the request, and a token has precedence over it', async () => {
  const { id: tokenId, projectId, headers: token } = await createTestToken(db);
  const { id, headers } = await person({ roles: { [projectId]: 'viewer' } });
  assert.deepEqual((await ask('caller', headers)).json().caller, {
    tokenId: null,
    userId: id,
    project: { id: projectId },
    scopes: ['servers:read'],
    expiresAt: null,
    allowedNetworks: [],
  });
  assert.deepEqual(await refusal(ask('change', headers)), [
    'scope_missing',
    'Your role in this project lacks the scope servers:write.',
  ]);
  assert.equal((await ask('caller', { ...headers, ...token })).json().caller.tokenId, tokenId);
});

test('a session that was not confirmed recently needs a confirmation, and a token does not', async () => {
  const { projectId, headers: token } = await createTestToken(db, { scopes: ['servers:read'] });
  const { headers } = await person({ roles: { [projectId]: 'viewer' } });
  assert.equal((await ask('confirmed', headers)).statusCode, 200);
  await db
    .updateTable('sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();
  assert.equal((await refusal(ask('confirmed', headers)))[0], 'confirmation_required');
  assert.equal((await ask('caller', headers)).statusCode, 200);
  assert.equal((await ask('confirmed', token)).statusCode, 200);
  assert.deepEqual(await refusal(ask('change', token)), [
    'scope_missing',
    'The token lacks the scope servers:write.',
  ]);
});

test('a malformed cookie is refused without a query', async (t) => {
  const connect = t.mock.method(pool, 'connect');
  assert.equal((await refusal(ask('caller', { cookie: 'berth=x' })))[0], 'session_ended');
  assert.equal(connect.mock.callCount(), 0);
});

test('a token can use its own project, and another one only if it has the scope admin', async () => {
  const project = 'acted in';
  const other = await createTestProject(db, 'another');
  const own = await createTestProject(db, project);
  const { headers: admin } = await createTestToken(db, { project });
  const { headers } = await createTestToken(db, { project, scopes: ['servers:write'] });
  const actingIn = async (token: typeof headers, named: string) =>
    (await ask('caller', { ...token, 'berth-project': named })).json().caller?.project.id;
  for (const token of [admin, headers]) {
    assert.equal(await actingIn(token, String(own)), own);
    assert.equal(await actingIn(token, project), own);
  }
  assert.equal(await actingIn(admin, String(other)), other);
  assert.equal(await actingIn(admin, 'another'), other);
  for (const [token, named, words] of [
    [headers, String(other), `has the id ${other}`],
    [headers, 'another', 'is called another'],
    [admin, '4711', 'has the id 4711'],
    [admin, 'none', 'is called none'],
  ] as const) {
    const answer = ask('caller', { ...token, 'berth-project': named });
    assert.deepEqual(await refusal(answer), ['project_not_found', `No project ${words}.`]);
  }
});

test('a role that lacks the scope admin is refused with the advice to ask an administrator', async () => {
  const { projectId, headers: token } = await createTestToken(db, { scopes: ['servers:write'] });
  const { headers } = await person({ roles: { [projectId]: 'owner' } });
  assert.deepEqual(await refusal(ask('administration', headers)), [
    'scope_missing',
    'Your role in this project lacks the scope admin. Ask an administrator.',
  ]);
  assert.deepEqual(await refusal(ask('administration', token)), [
    'scope_missing',
    'The token lacks the scope admin.',
  ]);
});

test('a request whose answer lasts long is authenticated again, and then refused for what it lost meanwhile', async (t) => {
  t.after(() => {
    between = async () => undefined;
  });
  const {
    id,
    projectId,
    headers: token,
  } = await createTestToken(db, { scopes: ['servers:write'] });
  const { id: userId, headers: session } = await person({ roles: { [projectId]: 'owner' } });
  assert.deepEqual((await ask('again', token)).json(), { tokenId: id });
  assert.deepEqual((await ask('again', session)).json(), { tokenId: null, userId });
  const members = db.updateTable('memberships').where('user_id', '=', userId);
  const cases: [change: () => Promise<unknown>, headers: Record<string, string>, code: string][] = [
    [() => members.set({ role: 'viewer' }).execute(), session, 'scope_missing'],
    [() => db.deleteFrom('sessions').execute(), session, 'session_ended'],
    [() => revokeToken(db, id), token, 'token_invalid'],
  ];
  for (const [change, headers, code] of cases) {
    await members.set({ role: 'owner' }).execute();
    between = change;
    assert.equal((await refusal(ask('again', headers)))[0], code);
  }
});

test('when a request is answered, its caller is known, or else the token that was refused', async () => {
  const token = generateToken();
  const { id, headers } = await createTestToken(db);
  const { id: userId, headers: session } = await person();
  known = [];
  await ask('caller', { authorization: `Bearer ${token}` });
  for (const other of [headers, session, {}]) await ask('caller', other);
  assert.deepEqual(known, [
    [tokenHash(token), undefined, undefined],
    [undefined, id, undefined],
    [undefined, undefined, userId],
    [undefined, undefined, undefined],
  ]);
});

test('a use is recorded unless one was within the last minute', async () => {
  const own = { db, credentials: noCredentialCache };
  const asker = { wanted: undefined, address: '127.0.0.1' };
  const { token } = await createTestToken(db);
  const { cookie } = await person();
  await db
    .updateTable('sessions')
    .set({ last_used_at: new Date(0) })
    .execute();
  for (const identify of [
    () => identifyByToken(asker, own, tokenHash(token), () => undefined),
    () => identifyBySession(asker, own, cookie.replace('berth=', '')),
  ]) {
    const { note } = await identify();
    assert.ok(note);
    await note();
    assert.equal((await identify()).note, undefined);
  }
});

test('the log tells when a use could not be recorded, and nothing else about it', async () => {
  const { log, lines } = keptLog('warn');
  const own = await createTestApp(db, [probeRoutes], { log });
  const { id, headers: token } = await createTestToken(db);
  await sql`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'Nobody may update this.'; end $$`.execute(db);
  await sql`create trigger refuse before update on tokens execute function refuse()`.execute(db);
  assert.equal((await ask('caller', token, own)).statusCode, 200);
  await until('it is logged', () => lines.length > 0);
  await sql`drop function refuse cascade`.execute(db);
  await ask('caller', token, own);
  const query = db.selectFrom('tokens').select('last_used_at').where('id', '=', id);
  await until(
    'its use is recorded',
    async () => (await query.executeTakeFirstOrThrow()).last_used_at,
  );
  await ask('caller', token, own);
  await own.close();
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ msg, err }) => [msg, err.message]),
    [['The last use of a credential could not be recorded.', 'Nobody may update this.']],
  );
});

test('the service ends only when all uses are recorded', async () => {
  const [own, other] = [await createTestApp(db, [probeRoutes]), await createTestApp(db, [])];
  const { id, headers: token } = await createTestToken(db);
  const order: string[] = [];
  const ended = await db.transaction().execute(async (trx) => {
    await trx.updateTable('tokens').set({ name: 'locked' }).where('id', '=', id).execute();
    await ask('caller', token, own);
    await untilWaiting(db, 1);
    const ending = own.close().then(() => order.push('ended'));
    // It ends as fast as another one has, if it does not wait.
    await other.close();
    order.push('recorded');
    return { ending };
  });
  await ended.ending;
  assert.deepEqual(order, ['recorded', 'ended']);
});

test('credentials are cached for each project, and their use is recorded once', async () => {
  const { headers: token } = await createTestToken(db);
  const { headers: session } = await person({ isAdmin: true });
  const other = await createTestProject(db, 'kept apart');
  await db
    .updateTable('sessions')
    .set({ last_used_at: new Date(0) })
    .execute();
  for (const headers of [token, session]) {
    kept.clear();
    await ask('caller', headers);
    await ask('caller', { ...headers, 'berth-project': String(other) });
    await ask('caller', { ...headers, 'berth-project': 'kept apart' });
    assert.equal(kept.size, 3);
    for (const found of kept.values()) assert.ok('isNoted' in found && found.isNoted === true);
  }
});

test('a request of a session that changes nothing needs no CSRF token', async () => {
  const { cookie } = await person();
  assert.equal((await ask('anywhere', { cookie })).statusCode, 200);
  const change = { method: 'POST', url: '/v1/change', payload: { size: 1 } } as const;
  const answer = await inject(app, { ...change, headers: { cookie, host: 'localhost' } });
  assert.equal(answer.json().code, 'csrf_failed');
});

test('while the database is unavailable, a known token is accepted on routes that need no database, and on no others', async () => {
  const { headers } = await createTestToken(db);
  const { headers: stranger } = await createTestToken(db);
  for (const path of ['caller', 'without-database']) {
    assert.equal((await ask(path, headers)).json().isRemembered, false);
  }
  isAway = true;
  try {
    assert.equal((await ask('without-database', headers)).json().isRemembered, true);
    assert.equal((await ask('caller', headers)).statusCode, 503);
    assert.equal((await ask('without-database', stranger)).statusCode, 503);
  } finally {
    isAway = false;
  }
});

test('each kind of request is counted', async () => {
  const once = { burst: 1, perSecond: 1e-6 };
  const { headers: token } = await createTestToken(db);
  const { headers: session } = await person({ isAdmin: true });
  const unknown = () => ({ authorization: `Bearer ${generateToken()}` });
  const kinds: [
    limits: Partial<Limits>,
    path: string,
    headers: () => Record<string, string>,
    first: number,
  ][] = [
    [{ reads: once }, 'caller', () => token, 200],
    [{ reads: once }, 'caller', () => session, 200],
    [{ failures: once }, 'caller', unknown, 401],
    [{ public: once }, 'nothing', () => ({}), 404],
  ];
  for (const [limits, path, headers, first] of kinds) {
    const limiter = createLimiter({ ...generousLimits, ...limits });
    const limited = await createTestApp(db, [probeRoutes], { limiter });
    const statuses = [];
    for (let time = 0; time < 2; time += 1) {
      statuses.push((await ask(path, headers(), limited)).statusCode);
    }
    await limited.close();
    assert.deepEqual(statuses, [first, 429], path);
  }
});

test('a change that was refused because of a mistake does not count as one', async () => {
  const actions = { burst: 1, perSecond: 1e-6 };
  const limiter = createLimiter({ ...generousLimits, actions });
  const limited = await createTestApp(db, [probeRoutes], { limiter });
  const { headers } = await createTestToken(db);
  const change = async (payload: object) =>
    (await inject(limited, { method: 'POST', url: '/v1/change', headers, payload })).statusCode;
  const statuses = [];
  for (const size of ['x', 'y', 1, 2]) statuses.push(await change({ size }));
  await limited.close();
  assert.deepEqual(statuses, [422, 422, 200, 429]);
});
