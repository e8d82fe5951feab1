import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PathParams } from '@berth/contract/references';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { markRefusedParts, markSignInAttempt } from '../changes/audit-marks.ts';
import { changesNothing } from '../changes/change.ts';
import { Problem, type ProblemCode } from '../problems/problem.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { generateToken } from '../tokens/token.ts';
import { countingMs } from './counts.ts';

const { db, close } = await createTestDatabase();
after(close);
const [home, second] = [await createTestProject(db, 'home'), await createTestProject(db, 'second')];
const victim = await createTestUser(db);

const refuse = (code: ProblemCode) => () => Promise.reject(new Problem(code, 'No.'));

/** Routes with separate names that refuse requests. */
function probeRoutes(api: App): void {
  const response = { 200: Type.Any() };
  const schema = { operationId: 'probe', response };
  const config = { scope: 'servers:write', needsConfirmation: false } as const;
  api.get('/probe', { config, schema }, refuse('no_capacity'));
  api.post('/probe', { config, schema }, refuse('no_capacity'));
  api.post('/malformed', { config, schema }, refuse('malformed_request'));
  api.post('/limited', { config, schema }, refuse('rate_limited'));
  api.post('/nothing', { config, schema }, (request) =>
    changesNothing(request, Promise.resolve({})),
  );
  const homeless = { ...config, worksWithoutProject: true };
  api.post('/homeless', { config: homeless, schema }, refuse('no_capacity'));
  api.post('/person', { config: { ...config, scope: 'person' }, schema }, refuse('no_capacity'));
  const open = { ...config, scope: 'public', canRefuse: true } as const;
  api.post('/public', { config: open, schema }, refuse('sign_in_failed'));
  for (const [path, userId] of [
    ['/nobody', null],
    ['/victim', victim.id],
  ] as const) {
    api.post(path, { config: open, schema }, async (request) => {
      markSignInAttempt(request, userId);
      throw new Problem('sign_in_failed', 'No.');
    });
  }
  api.post('/bulk', { config, schema }, async (request) => {
    markRefusedParts(request, [
      { action: 'server_start', target: { kind: 'server', id: 41 }, code: 'server_not_found' },
      { action: 'server_stop', target: { kind: 'server', id: 42 }, code: 'quota_exceeded' },
    ]);
    return await changesNothing(request, Promise.resolve({}));
  });
  api.get('/callback', { config: open, schema }, async (request) => {
    markSignInAttempt(request, null);
    markRefusedParts(request, [
      { action: 'session_oidc_callback', target: null, code: 'sign_in_failed' },
    ]);
    return {};
  });
  const inProject = { operationId: 'probe', params: PathParams({ id: 'project' }), response };
  api.post('/projects/:id/probe', { config, schema: inProject }, refuse('no_capacity'));
  const asAdmin = { ...config, scope: 'admin' } as const;
  api.post('/projects/:id/admin', { config: asAdmin, schema: inProject }, refuse('no_capacity'));
  api.post('/admin', { config: asAdmin, schema }, refuse('no_capacity'));
}

/** The warnings of the service, and the messages of their errors. */
const warnings: string[] = [];
const causes: string[] = [];
const log = pino(
  { level: 'warn' },
  {
    write: (line: string) => {
      const { level, msg, err } = JSON.parse(line);
      if (level !== 40) return;
      warnings.push(msg);
      causes.push(err?.message);
    },
  },
);
const serve = () => createTestApp(db, [probeRoutes, sessionRoutes], { log });

async function ask(app: App, url: string, headers: object, method: 'GET' | 'POST' = 'POST') {
  return await app.inject({ method, url, headers: { ...headers } });
}

const refusals = async () =>
  await db.selectFrom('audit_log').selectAll().where('status', '>=', 400).orderBy('id').execute();

test('a refusal of a change is entered with the caller, the target and the reason', async () => {
  const app = await serve();
  const { headers: ofToken, id: tokenId } = await createTestToken(db, {
    scopes: ['servers:write'],
    project: 'home',
  });
  const expired = await createTestToken(db, { project: 'home', expiresAt: new Date(0) });
  const admin = await createTestToken(db, { project: 'home' });
  const unknown = { authorization: `Bearer ${generateToken()}` };
  const stranger = await createTestUser(db);
  const member = await createTestUser(db, { roles: { [home]: 'member', [second]: 'viewer' } });
  const ofStranger = (await signInAs(app, stranger.credentials)).headers;
  const signedIn = (await signInAs(app, member.credentials)).headers;
  const ofMember = { ...signedIn, 'berth-project': 'home' };
  const foreign = await createTestProject(db, 'foreign');

  const common = { action: 'probe', status: 409, code: 'no_capacity', by_administrator: false };
  const token = { ...common, token_id: tokenId, user_id: null, project_id: home };
  const asMember = { ...common, token_id: null, user_id: member.id, project_id: home };
  const asAdmin = { ...token, token_id: admin.id, by_administrator: true };
  const signIn = { ...common, status: 401, code: 'sign_in_failed', token_id: null, user_id: null };
  const project = (id: number) => ({ target_kind: 'project', target_id: id });
  const cases: [url: string, headers: object, entry: object | undefined, method?: 'GET'][] = [
    ['/v1/probe', ofToken, token],
    ['/v1/probe', ofToken, undefined, 'GET'],
    ['/v1/malformed', ofToken, { ...token, status: 400, code: 'malformed_request' }],
    ['/v1/limited', ofToken, undefined],
    ['/v1/nothing', ofToken, undefined],
    ['/v1/nowhere', ofToken, undefined],
    ['/v1/probe', unknown, undefined],
    ['/v1/probe', {}, undefined],
    [
      '/v1/probe',
      expired.headers,
      { ...asAdmin, token_id: expired.id, status: 401, code: 'token_expired' },
    ],
    ['/v1/probe', expired.headers, undefined, 'GET'],
    ['/v1/probe', ofMember, asMember],
    ['/v1/person', ofMember, { ...asMember, project_id: null }],
    ['/v1/homeless', ofStranger, { ...asMember, user_id: stranger.id, project_id: null }],
    ['/v1/public', {}, undefined],
    ['/v1/nobody', {}, { ...signIn, project_id: null }],
    ['/v1/victim', {}, { ...signIn, project_id: null, target_kind: 'user', target_id: victim.id }],
    [
      `/v1/projects/${second}/probe`,
      ofMember,
      { ...asMember, project_id: second, ...project(second) },
    ],
    [
      `/api/v1/projects/${second}/admin/`,
      ofMember,
      { ...asMember, project_id: second, ...project(second), status: 403, code: 'scope_missing' },
    ],
    [
      `/v1/projects/${foreign}/probe`,
      ofMember,
      { ...asMember, ...project(foreign), action: 'probe' },
    ],
    [`/v1/projects/${second}/probe`, ofToken, { ...token, ...project(second) }],
    [
      `/v1/projects/${second}/probe`,
      admin.headers,
      { ...asAdmin, project_id: second, ...project(second) },
    ],
    [
      '/v1/projects/999999/admin',
      admin.headers,
      { ...asAdmin, project_id: null, ...project(999_999) },
    ],
    ['/v1/admin', admin.headers, { ...asAdmin, project_id: null }],
    ['/v1/probe', admin.headers, asAdmin],
  ];
  const expected = new Map<unknown, object | undefined>();
  for (const [url, headers, entry, method] of cases) {
    const answer = await ask(app, url, headers, method);
    assert.equal(answer.statusCode >= 400, url !== '/v1/nothing', `${url} ${answer.body}`);
    const none = { target_kind: null, target_id: null };
    expected.set(answer.headers['x-request-id'], entry && { ...none, ...entry });
  }
  // All refusals have been entered by now.
  await app.close();
  // Aggregated entries have the values of the last request of their kind.
  const entered = await refusals();
  const shown = new Map(
    entered.map((row) => {
      const { action, status, code, by_administrator, token_id, user_id, project_id } = row;
      const { target_kind, target_id } = row;
      const entry = { action, status, code, by_administrator, token_id, user_id, project_id };
      return [row.request_id as unknown, { ...entry, target_kind, target_id }];
    }),
  );
  for (const [at, [requestId, entry]] of [...expected].entries()) {
    assert.deepEqual(shown.get(requestId), entry, cases[at]?.[0]);
  }
  const wanted = [...expected.values()].filter(Boolean);
  assert.deepEqual([entered.length, warnings], [wanted.length, []]);
});

test('what a successful request was refused is entered by object, and the request itself is not', async () => {
  const app = await serve();
  const { id, headers } = await createTestToken(db, { scopes: ['servers:write'], project: 'home' });
  const answers = [await ask(app, '/v1/bulk', headers), await ask(app, '/v1/callback', {}, 'GET')];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 200],
  );
  // All refusals have been entered by now.
  await app.close();
  const [bulk, callback] = answers.map((answer) => String(answer.headers['x-request-id']));
  const entered = await db
    .selectFrom('audit_log')
    .select(['request_id', 'token_id', 'project_id', 'action', 'target_id', 'status', 'code'])
    .where('request_id', 'in', [bulk ?? '', callback ?? ''])
    .orderBy('action')
    .execute();
  const common = { request_id: bulk, token_id: id, project_id: home };
  assert.deepEqual(entered, [
    { ...common, action: 'server_start', target_id: 41, status: 404, code: 'server_not_found' },
    { ...common, action: 'server_stop', target_id: 42, status: 403, code: 'quota_exceeded' },
    {
      ...{ request_id: callback, token_id: null, project_id: null },
      ...{ action: 'session_oidc_callback', target_id: null, status: 401, code: 'sign_in_failed' },
    },
  ]);
  assert.deepEqual(warnings, []);
});

test('refusals are aggregated, entered each minute, and the last ones at the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const app = await serve();
  const { id, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const kinds = 5;
  const others = [];
  for (let made = 0; made < kinds; made += 1) {
    others.push(await createTestToken(db, { expiresAt: new Date(0) }));
  }
  const clock = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => clock() + passed);
  const counts = async (tokenId = id) =>
    (await refusals()).filter((row) => row.token_id === tokenId).map(({ count }) => count);
  const probe = async (times: number) => {
    for (let time = 0; time < times; time += 1) await ask(app, '/v1/probe', headers);
  };
  await probe(3);
  await until('the first is entered', async () => (await counts()).length === 1);
  t.mock.timers.tick(5000);
  await probe(1);
  assert.deepEqual(await counts(), [1], 'the minute is not over');
  passed += countingMs;
  t.mock.timers.tick(5000);
  const seen = await until('a minute is entered', async () => {
    const entered = await counts();
    return entered.length > 1 && entered;
  });
  assert.deepEqual(seen, [1, 3]);
  await probe(2);
  for (const other of [...others, ...others, ...others]) await ask(app, '/v1/probe', other.headers);
  await app.close();
  assert.deepEqual(await counts(), [1, 3, 2]);
  for (const other of others) assert.deepEqual(await counts(other.id), [1, 2]);
});

test('a refusal that cannot be entered causes a warning, and is entered later', async () => {
  const app = await serve();
  const { id, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  await sql`alter table audit_entries rename to hidden_audit_entries`.execute(db);
  await ask(app, '/v1/probe', headers);
  await until('the warning is logged', () => warnings.length > 0);
  assert.deepEqual(warnings.splice(0), ['A refusal could not be entered in the audit log.']);
  assert.match(String(causes.splice(0)), /audit_entries/);
  await ask(app, '/v1/probe', headers);
  await sql`alter table hidden_audit_entries rename to audit_entries`.execute(db);
  await app.close();
  const entered = (await refusals()).filter((row) => row.token_id === id);
  assert.deepEqual(
    entered.map(({ count }) => count),
    [2],
  );
});

test('refusals that are lost at the end cause a warning', async () => {
  const app = await serve();
  const { headers } = await createTestToken(db, { scopes: ['servers:write'] });
  for (let time = 0; time < 3; time += 1) await ask(app, '/v1/probe', headers);
  await sql`alter table audit_entries rename to hidden_audit_entries`.execute(db);
  await app.close();
  await sql`alter table hidden_audit_entries rename to audit_entries`.execute(db);
  assert.equal(
    warnings.splice(0).at(-1),
    'Counted refusals could not be entered in the audit log.',
  );
  assert.match(String(causes.splice(0).at(-1)), /audit_entries/);
});
