import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { auditActions } from '@berth/contract/actions';
import type { AuditEntry } from '@berth/contract/audit';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App, Scope } from '../callers/app-types.ts';
import { isSafe } from '../lib/methods.ts';
import { createLimiter } from '../limits/limiter.ts';
import { placesOf } from '../requests/reference-places.ts';
import { createTestApp, createTestToken, generousLimits } from '../testing/app.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { serverBody } from '../testing/servers.ts';
import { byTestUser } from '../testing/tool.ts';
import { until } from '../testing/until.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { tokenRoutes } from '../tokens/routes.ts';
import { generateToken } from '../tokens/token.ts';
import { insertToolEntry } from './entry-queries.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const admin = await createTestToken(db, { scopes: ['admin'] });

const list = async (query = '', headers: object = admin.headers): Promise<AuditEntry[]> =>
  (await whole.ask('GET', `/audit${query}`, { ...headers })).json();

/** Uses another token each time, so that refusals are not aggregated. */
async function askAnew(
  method: Parameters<typeof whole.ask>[0],
  path: string,
  { scope = 'servers:write', ...more }: { scope?: Scope; body?: object; from?: string } = {},
) {
  const { headers } = await createTestToken(db, { scopes: [scope] });
  return await whole.ask(method, path, { ...more, ...headers });
}

/** Waits for the entry of a refusal, which is made after the response. */
async function entryOf(requestId: unknown): Promise<AuditEntry> {
  return await until(`the request ${requestId} is entered`, async () =>
    (await list('?sort=-id&limit=50')).find((e) => e.request_id === requestId),
  );
}

describe('the audit log', () => {
  it('has the caller, the action, the target and the result', async () => {
    const created = await whole.create();
    const { id } = created.json();
    const {
      at,
      id: __,
      first_at,
      last_at,
      ...entry
    } = await entryOf(created.headers['x-request-id']);
    assert.deepEqual(entry, {
      project_id: place.projectId,
      token_id: entry.token_id,
      user_id: null,
      source: 'api',
      address: '127.0.0.1',
      address_count: 1,
      action: 'server_create',
      target: { kind: 'server', id },
      status: 201,
      code: null,
      request_id: created.headers['x-request-id'],
      details: null,
      count: 1,
    });
    assert.deepEqual([first_at, last_at], [at, at]);
    assert.equal((await whole.ask('GET', '/whoami')).json().token_id, entry.token_id);
  });

  it('has refusals of known callers', async () => {
    const refused = await whole.ask('POST', '/servers/999/start');
    const entry = await entryOf(refused.headers['x-request-id']);
    const { action, status, code, target } = entry;
    assert.deepEqual(
      [action, status, code, target],
      ['server_start', 404, 'server_not_found', { kind: 'server', id: 999 }],
    );
    const bad = await whole.create({ cpu: 0 });
    assert.equal((await entryOf(bad.headers['x-request-id'])).code, 'validation_failed');
  });

  it('has the names in the path of a refused request', async () => {
    const project = place.projectId;
    const body = { role: 'member' };
    const scope = 'admin';
    const members = `/projects/${project}/members`;
    for (const [target, answer] of [
      [{ kind: 'token', id: 77 }, askAnew('DELETE', '/tokens/77')],
      [{ kind: 'location', id: 77 }, askAnew('PATCH', '/locations/77', { body: {} })],
      [{ kind: 'operating_system', id: 77 }, askAnew('POST', '/operating-systems/77/images')],
      [{ kind: 'address_pool', id: 77 }, askAnew('DELETE', '/address-pools/77', { scope })],
      [{ kind: 'user', id: 77 }, askAnew('DELETE', '/users/77', { scope })],
      [{ kind: 'user', id: 77 }, askAnew('PUT', `${members}/77`, { body, scope })],
      [{ kind: 'project', id: project }, askAnew('POST', members)],
      [null, askAnew('DELETE', '/servers/nonsense')],
      [null, askAnew('POST', '/servers', { body: {} })],
    ] as const) {
      const { headers, statusCode } = await answer;
      assert.ok(statusCode >= 400);
      const entry = await entryOf(headers['x-request-id']);
      assert.deepEqual(entry.target, target, entry.action);
    }
  });

  it('has the new values, and the previous ones', async () => {
    const of = { ...admin.headers };
    const details = async (answer: ReturnType<typeof whole.ask>) => {
      const { headers, statusCode, body } = await answer;
      assert.ok(statusCode < 300, body);
      return (await entryOf(headers['x-request-id'])).details;
    };
    const made = await whole.ask('POST', '/projects', { body: { name: 'detailed' }, ...of });
    const url = `/projects/${made.json().id}`;
    const patch = (body: object) => details(whole.ask('PATCH', url, { body, ...of }));
    const servers = { before: null, after: 3 };
    assert.deepEqual(await patch({ quota: { servers: 3 } }), { quota: { servers } });
    assert.equal(await patch({ description: 'Words' }), null);
    const { id, email } = await createTestUser(db);
    const add = whole.ask('POST', `${url}/members`, { body: { email, role: 'viewer' }, ...of });
    assert.deepEqual(await details(add), { role: { before: null, after: 'viewer' } });
    const set = whole.ask('PUT', `${url}/members/${id}`, { body: { role: 'owner' }, ...of });
    assert.deepEqual(await details(set), { role: { before: 'viewer', after: 'owner' } });
    const body = { name: 'x', scopes: ['servers:read'], allowed_networks: ['10.0.0.0/8'] };
    assert.deepEqual(await details(whole.ask('POST', '/tokens', { body, ...of })), {
      scopes: ['servers:read'],
      expires_at: null,
      allowed_networks: ['10.0.0.0/8'],
    });
    const user = {
      is_admin: true,
      is_disabled: true,
      name: 'New',
      password: 'a-Vault-of-41-finches',
    };
    assert.deepEqual(await details(whole.ask('PATCH', `/users/${id}`, { body: user, ...of })), {
      is_admin: { before: false, after: true },
      is_disabled: { before: false, after: true },
      password_changed: true,
    });
    const exported = await whole.ask('GET', '/audit/export?action=member_set', { ...of });
    assert.deepEqual(JSON.parse(exported.body.trim().split('\n').at(-1) ?? '').details, {
      role: { before: 'viewer', after: 'owner' },
    });
  });

  it('shows an administrator’s address only to members', async () => {
    const made = await whole.ask('POST', '/projects', { body: { name: 'seen' }, ...admin.headers });
    const { id } = made.json();
    const [owner, boss, both] = await Promise.all([
      createTestUser(db, { roles: { [id]: 'owner' } }),
      createTestUser(db, { isAdmin: true }),
      createTestUser(db, { isAdmin: true, roles: { [id]: 'member' } }),
    ]);
    const inIt = { 'berth-project': String(id) };
    const body = { name: 'x', scopes: ['servers:read'] };
    const [asOwner, asBoss, asBoth] = await Promise.all(
      [owner, boss, both].map(({ credentials }) => signInAs(whole.app, credentials)),
    );
    assert.ok(asOwner && asBoss && asBoth);
    const change = { body: { name: 'seen again' }, ...admin.headers };
    assert.equal((await whole.ask('PATCH', `/projects/${id}`, change)).statusCode, 200);
    for (const { ask } of [asOwner, asBoss, asBoth]) {
      assert.equal((await ask('POST', '/tokens', { body, ...inIt })).statusCode, 201);
    }
    const addresses = (entries: AuditEntry[]) => entries.map((e) => [e.user_id, e.address]);
    const seen: AuditEntry[] = (await asOwner.ask('GET', '/audit', inIt)).json();
    assert.deepEqual(addresses(seen), [
      [null, null],
      [null, null],
      [owner.id, '127.0.0.1'],
      [boss.id, null],
      [both.id, '127.0.0.1'],
    ]);
    const found: AuditEntry[] = (await asOwner.ask('GET', '/audit?address=127.0.0.1', inIt)).json();
    assert.deepEqual(
      found.map((e) => e.user_id),
      [owner.id, both.id],
    );
    const target = { kind: 'project', id } as const;
    const entry = { projectId: id, action: 'project_update' as const, target, details: undefined };
    await db.transaction().execute((trx) => insertToolEntry(trx, entry));
    const ofTool = async (ask: typeof asOwner.ask) => {
      const entries: AuditEntry[] = (await ask('GET', '/audit?action=project_update', inIt)).json();
      return entries.find(({ source }) => source === 'command_line')?.details;
    };
    assert.equal(await ofTool(asOwner.ask), null);
    assert.deepEqual(await ofTool(asBoss.ask), byTestUser);
    const all = (await list(`?project_id=${id}`)).filter(({ source }) => source === 'api');
    assert.ok(all.every(({ address }) => address === '127.0.0.1'));
  });

  it('has no entries of requests that change nothing', async () => {
    const before = (await list()).length;
    await whole.ask('GET', '/servers');
    await whole.ask('POST', '/servers/dry-run', { body: serverBody(place) });
    assert.equal((await list()).length, before);
  });

  it('has one entry for a replayed request', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await whole.create({}, key);
    const again = await whole.create({}, key);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    const { id } = first.json();
    const entries = await list(`?target_kind=server&target_id=${id}`);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['server_create'],
    );
  });

  it('has refusals of tokens that are no longer valid, and none of tokens that never existed', async () => {
    const ended = {
      token_expired: await createTestToken(db, { expiresAt: new Date(Date.now() - 1000) }),
      token_invalid: await createTestToken(db),
    };
    await revokeToken(db, ended.token_invalid.id);
    for (const [code, { id, headers }] of Object.entries(ended)) {
      const refused = await whole.ask('DELETE', '/servers/1', { ...headers });
      const entry = await entryOf(refused.headers['x-request-id']);
      assert.deepEqual(
        [entry.action, entry.status, entry.code, entry.token_id, entry.project_id],
        ['server_delete', 401, code, id, place.projectId],
      );
      // Refused reads are not entered.
      await whole.ask('GET', '/servers', { ...headers });
    }
    const authorization = `Bearer ${generateToken()}`;
    const unknown = await whole.ask('DELETE', '/servers/1', { authorization });
    // This entry is made after the one that must not exist.
    const known = await askAnew('DELETE', '/servers/999999');
    await entryOf(known.headers['x-request-id']);
    const entries = await list('?sort=-id&limit=50');
    assert.ok(entries.every((e) => e.request_id !== unknown.headers['x-request-id']));
    assert.ok(entries.every((e) => e.action !== 'server_list'));
  });

  it('has a change in the project that was changed, or in none', async () => {
    const made = await whole.ask('POST', '/projects', { body: { name: 'kept' }, ...admin.headers });
    const { id } = made.json();
    const user = await createTestUser(db);
    const scope = 'admin';
    const [project, members] = [`/projects/${id}`, `/projects/${id}/members`];
    const role = { role: 'member' };
    const asked: [project: number | null, answer: ReturnType<typeof askAnew>][] = [
      [id, askAnew('PATCH', project, { body: { quota: { servers: 3 } }, scope })],
      [id, askAnew('PUT', `${members}/${user.id}`, { body: role, scope })],
      [id, askAnew('DELETE', `${members}/999999`, { scope })],
      [id, askAnew('PATCH', project, { body: { name: '' }, scope })],
      [null, askAnew('PATCH', '/projects/999999', { body: { name: 'x' }, scope })],
      [null, askAnew('PATCH', `/users/${user.id}`, { body: { name: 'Changed' }, scope })],
      [null, askAnew('POST', '/users', { body: { email: 'nonsense' }, scope })],
      [
        null,
        askAnew('PATCH', `/locations/${place.locationId}`, {
          body: { description: 'Changed' },
          scope,
        }),
      ],
      [null, askAnew('DELETE', '/address-pools/999999', { scope })],
      [place.projectId, askAnew('POST', '/servers/999999/start', { scope })],
      // A refusal of a caller without the scope `admin` is in the caller's own project.
      [place.projectId, askAnew('PATCH', project, { body: { name: 'x' } })],
      [place.projectId, askAnew('DELETE', `/users/${user.id}`)],
    ];
    assert.equal((await entryOf(made.headers['x-request-id'])).project_id, id);
    for (const [belongsTo, answer] of asked) {
      const { headers } = await answer;
      const entry = await entryOf(headers['x-request-id']);
      assert.equal(entry.project_id, belongsTo, entry.action);
    }
  });

  it('shows the owner of a project the changes to it, and nothing else', async () => {
    const body = { name: 'owned' };
    const { id } = (await whole.ask('POST', '/projects', { body, ...admin.headers })).json();
    const owner = await createTestUser(db, { roles: { [id]: 'owner' } });
    const { ask } = await signInAs(whole.app, owner.credentials);
    const quota = { quota: { servers: 1 } };
    await whole.ask('PATCH', `/projects/${id}`, { body: quota, ...admin.headers });
    const seen: AuditEntry[] = (await ask('GET', '/audit')).json();
    assert.deepEqual(
      seen.map((e) => [e.action, e.project_id]),
      [
        ['project_create', id],
        ['project_update', id],
      ],
    );
  });

  it('has no secrets of requests', async () => {
    const secret = 'canary-8d1f';
    await whole.create({ password: `${secret}-password`, initialCommands: [`echo ${secret}`] });
    await whole.create({ cpu: 0, password: `${secret}-password` });
    const { rows } = await sql<{ row: string }>`select a::text as row from audit_log a`.execute(db);
    for (const { row } of rows) assert.ok(!row.includes(secret));
  });

  it('is append-only', async () => {
    for (const change of [
      'update audit_log set status = 200',
      'delete from audit_log',
      'update audit_entries set status = 200',
      'delete from audit_entries',
      'truncate audit_entries',
    ]) {
      await assert.rejects(sql.raw(change).execute(db), /only ever added to/);
    }
  });
});

describe('its list', () => {
  it('is that of the own project, or that of all projects for administrators', async () => {
    const body = { name: 'elsewhere' };
    const { id } = (await whole.ask('POST', '/projects', { body, ...admin.headers })).json();
    const inIt = { ...admin.headers, 'berth-project': String(id) };
    await whole.ask('POST', '/servers', { body: serverBody(place), ...inIt });
    const projects = (entries: AuditEntry[]) => [...new Set(entries.map((e) => e.project_id))];
    assert.deepEqual(projects(await list('', {})), [place.projectId]);
    assert.deepEqual(projects(await list('', inIt)), [id]);
    const all = projects(await list());
    for (const one of [place.projectId, id, null]) assert.ok(all.includes(one), `${one}`);
  });

  it('is filtered, sorted and paged', async () => {
    const newest = await list('?sort=-id&limit=2');
    const [first, second] = newest;
    assert.ok(first && second && first.id > second.id);
    assert.ok((await list('?action=server_create')).every((e) => e.action === 'server_create'));
    assert.deepEqual(await list(`?token_id=${admin.id}&action=server_stop`), []);
    assert.deepEqual(await list('?to=2020-01-01T00:00:00Z'), []);
    assert.equal((await list('?from=2020-01-01T00:00:00Z')).length, (await list()).length);
    for (const [query, parameter] of [
      ['from=2026-02-31T00:00:00Z', 'from'],
      ['from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', 'from'],
      ['address=1.2.3', 'address'],
      ['address=nonsense', 'address'],
      ['status=99', 'status'],
      ['project_id=0', 'project_id'],
    ]) {
      const bad = await whole.ask('GET', `/audit?${query}`);
      assert.deepEqual([bad.statusCode, bad.json().errors[0].parameter], [422, parameter], query);
    }
  });

  it('is filtered by project, status, address and request', async () => {
    const more = { scope: 'admin', from: '192.0.2.77' } as const;
    const refused = await askAnew('POST', '/servers/4711/start', more);
    const { id, request_id } = await entryOf(refused.headers['x-request-id']);
    const ids = async (query: string) => (await list(`?${query}`)).map((entry) => entry.id);
    assert.deepEqual(await ids(`request_id=${request_id}`), [id]);
    assert.deepEqual(await ids(`request_id=${request_id}&status=404`), [id]);
    assert.deepEqual(await ids(`request_id=${request_id}&status=403`), []);
    assert.deepEqual(await ids(`request_id=${request_id}&address=192.0.2.77`), [id]);
    assert.deepEqual(await ids(`request_id=${request_id}&address=2001:db8::1`), []);
    assert.deepEqual(await ids(`request_id=${request_id}&project_id=${place.projectId}`), [id]);
    const unknown = await whole.ask('GET', '/audit?project_id=999999', admin.headers);
    assert.deepEqual([unknown.statusCode, unknown.json().errors[0].parameter], [422, 'project_id']);
    assert.ok((await list('?status=201')).every(({ status }) => status === 201));
  });

  it('of another project is not found, except by administrators', async () => {
    const own = await whole.ask('GET', `/audit?project_id=${place.projectId}`);
    assert.equal(own.statusCode, 200);
    const others = await whole.ask('GET', '/audit?project_id=999999');
    assert.deepEqual(others.json().errors, [
      { parameter: 'project_id', detail: 'No project has the id 999999.' },
    ]);
  });

  it('is exported, one entry per line', async () => {
    const answer = await whole.ask('GET', '/audit/export', { ...admin.headers });
    assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/);
    const lines = answer.body.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await list(),
    );
  });
});

it('has the type of each id in the path of a route that changes something', () => {
  const changing = whole.app.knownRoutes.filter(({ options }) => !isSafe(String(options.method)));
  const ids = changing.flatMap(({ options: { url, schema } }) => {
    const known = placesOf(schema).filter((place) => place.part === 'params' && 'noun' in place);
    const names = [...url.matchAll(/:(\w+)/g)]
      .map(([, name]) => name)
      .filter((name) => /(^|_)id$/.test(name ?? ''));
    return names.map((name) => ({ url, name, isKnown: known.some(({ field }) => field === name) }));
  });
  assert.ok(ids.some(({ url }) => url === '/v1/projects/:id/members/:user_id'));
  assert.deepEqual(
    ids.filter(({ isKnown }) => !isKnown),
    [],
  );
});

it('has no entries of requests beyond a rate limit', async () => {
  const limiter = createLimiter({ ...generousLimits, actions: { burst: 1, perSecond: 1e-6 } });
  const app = await createTestApp(db, [tokenRoutes], { limiter });
  const ask = () =>
    app.inject({ method: 'DELETE', url: '/v1/tokens/999999', headers: admin.headers });
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual([first.statusCode, second.statusCode], [404, 429]);
  // All entries have been made by now.
  await app.close();
  const entries = (await list('?sort=-id&limit=5')).map((entry) => entry.request_id);
  assert.ok(entries.includes(String(first.headers['x-request-id'])));
  assert.ok(!entries.includes(String(second.headers['x-request-id'])));
});

it('a route that makes no entry does not succeed', async () => {
  const forgetful = (api: App) => {
    const schema = { operationId: 'forget', response: { 200: Type.Any() } };
    const config = { scope: 'servers:write' } as const;
    api.post('/forget', { config, schema }, async () => ({ done: true }));
  };
  const app = await createTestApp(db, [forgetful]);
  const answer = await app.inject({ method: 'POST', url: '/v1/forget', headers: admin.headers });
  await app.close();
  assert.deepEqual([answer.statusCode, answer.json().code], [500, 'internal_error']);
});

it('can be filtered by existing actions only', () => {
  const changing = whole.app.knownRoutes
    .map(({ options }) => options)
    .filter(({ method, url }) => !isSafe(String(method)) && url.startsWith('/v1/'));
  const requested = changing.map(({ schema }) => (schema as { operationId: string }).operationId);
  const known = new Set<string>(auditActions);
  assert.deepEqual(
    requested.filter((action) => !known.has(action)),
    [],
    'contract/src/actions.ts has each operationId',
  );
});
