import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { type App, type Scope, scopes } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { generateToken } from '../tokens/token.ts';

const { db, pool, close } = await createTestDatabase();
after(close);

const any = { response: { 200: Type.Any() } };

function probeRoutes(api: App): void {
  for (const scope of [...scopes, 'public'] as const) {
    const path = `/${scope.replace(':', '-')}`;
    api.get(path, { config: { scope }, schema: any }, async (request) =>
      scope === 'public' ? {} : request.caller,
    );
  }
  api.get('/careless', { config: { scope: 'public' }, schema: any }, async (r) => r.caller);
  const read = { config: { scope: 'servers:read' as const }, schema: any };
  api.get('/impersonal', read, async (request) => request.person);
}

let app: App;
before(async () => {
  app = await createTestApp(db, [probeRoutes]);
});
after(() => app.close());

async function ask(authorization?: string, path = 'servers-read') {
  const headers = authorization === undefined ? {} : { authorization };
  return await inject(app, { url: `/v1/${path}`, headers });
}

test('only public routes answer without a token', async () => {
  for (const header of [undefined, '', 'Basic dTpw', 'berth_x', 'Bearerx']) {
    const answer = await ask(header);
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.json().code, 'token_missing');
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="berth"');
  }
  assert.equal((await ask(undefined, 'public')).statusCode, 200);
});

test('a token may name its own project by id and by name, and no other', async () => {
  const { headers, projectId } = await createTestToken(db, { scopes: ['servers:write'] });
  const other = await createTestProject(db, 'not its own');
  const askIn = (project: string) =>
    inject(app, { url: '/v1/servers-read', headers: { ...headers, 'berth-project': project } });
  for (const own of [String(projectId), 'default', 'DEFAULT']) {
    const answer = await askIn(own);
    assert.deepEqual([answer.statusCode, answer.json().project?.id], [200, projectId], own);
  }
  for (const another of [String(other), 'not its own', 'none']) {
    const answer = await askIn(another);
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found'], another);
  }
});

test('a malformed token is refused without a query', async (t) => {
  const { token } = await createTestToken(db);
  const connect = t.mock.method(pool, 'connect');
  for (const text of [
    '',
    'x',
    token.slice(0, -1),
    `${token.slice(0, -1)}!`,
    `${token} x`,
    token.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a')),
  ]) {
    const answer = await ask(`Bearer ${text}`);
    assert.equal(answer.json().code, 'token_malformed', text);
    assert.equal(answer.statusCode, 401);
    assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/);
  }
  assert.equal(connect.mock.callCount(), 0);
});

test('a token sets the caller of the request, with the scheme in any case', async () => {
  const { id, token, projectId } = await createTestToken(db, { scopes: ['servers:read'] });
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
    const answer = await ask(`${scheme} ${token}`);
    assert.deepEqual(answer.json(), {
      tokenId: id,
      userId: null,
      project: { id: projectId },
      scopes: ['servers:read'],
      expiresAt: null,
      allowedNetworks: [],
    });
  }
});

test('unknown, expired and revoked tokens get different errors', async () => {
  const expired = await createTestToken(db, { expiresAt: new Date(Date.now() - 1000) });
  const revoked = await createTestToken(db);
  assert.equal((await ask(revoked.headers.authorization)).statusCode, 200);
  assert.ok(await revokeToken(db, revoked.id));
  assert.equal(await revokeToken(db, revoked.id), undefined);
  const expected = [
    [expired.token, 'token_expired'],
    [revoked.token, 'token_invalid'],
    [generateToken(), 'token_invalid'],
  ] as const;
  for (const [token, code] of expected) {
    const answer = await ask(`Bearer ${token}`);
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.json().code, code);
  }
});

test('a scope allows what it implies, and nothing else', async () => {
  const opened: Record<Scope, string[]> = {
    'servers:read': ['servers-read'],
    'servers:write': ['servers-read', 'servers-write'],
    'metrics:read': ['metrics-read'],
    admin: ['servers-read', 'servers-write', 'metrics-read', 'admin'],
  };
  for (const scope of Object.keys(opened) as Scope[]) {
    const { headers } = await createTestToken(db, { scopes: [scope] });
    for (const path of opened.admin) {
      const answer = await ask(headers.authorization, path);
      assert.equal(answer.statusCode, opened[scope].includes(path) ? 200 : 403, `${scope} ${path}`);
    }
  }
  const { headers } = await createTestToken(db, { scopes: [] });
  const answer = await ask(headers.authorization);
  assert.equal(answer.json().code, 'scope_missing');
  const challenge = 'Bearer realm="berth", error="insufficient_scope", scope="servers:read"';
  assert.equal(answer.headers['www-authenticate'], challenge);
});

test('a route without a scope can not be registered', async () => {
  const careless = (api: App) => void api.get('/x', { schema: any }, async () => ({}));
  await assert.rejects(createTestApp(db, [careless]), /GET \/v1\/x must say who may use it/);
});

test('reading a caller or a person that the route does not have throws', async () => {
  assert.equal((await ask(undefined, 'careless')).statusCode, 500);
  const { headers } = await createTestToken(db);
  assert.equal((await ask(headers.authorization, 'impersonal')).statusCode, 500);
});

test('the last use is recorded, once a minute at most', async () => {
  const [one, other] = [await createTestToken(db), await createTestToken(db)];
  const lastUse = async ({ id }: { id: number }) => {
    const query = db.selectFrom('tokens').select('last_used_at').where('id', '=', id);
    return (await query.executeTakeFirstOrThrow()).last_used_at;
  };
  assert.equal(await lastUse(one), null);
  await ask(one.headers.authorization);
  const first = await until('its use is recorded', () => lastUse(one));
  await ask(one.headers.authorization);
  // If it were recorded, the second use would be recorded by now.
  await ask(other.headers.authorization);
  await until('the use of the other token is recorded', () => lastUse(other));
  assert.equal(await lastUse(one), first);
});
