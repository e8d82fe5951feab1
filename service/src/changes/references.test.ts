import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { AnyOf } from '@berth/contract/filters';
import { PathParams, Reference, ReferenceBy } from '@berth/contract/references';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { markAudited } from './audit-marks.ts';
import { changesNothing } from './change.ts';
import { idempotently, sendAnswer } from './idempotency.ts';
import type { Candidate, Lookups } from './references.ts';

const { db, close } = await createTestDatabase();
after(close);

const uuid = '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10';
const twins: Candidate[] = ['Twin', 'twin', 'TWIN'].map((name, at) => ({ id: 21 + at, name }));
const couple = [...twins, { id: 24, name: 'TWIN' }];

/** The lookups, in order. */
let asked: [how: string, what: unknown][] = [];

function answer<T>(how: string, what: unknown, found: T): Promise<T> {
  asked.push([how, what]);
  return Promise.resolve(found);
}

const servers: Record<string, Candidate[]> = {
  web: [{ id: 11, name: 'WEB' }],
  db: [{ id: 12, name: 'db' }],
  twin: twins,
  TWIN: couple,
  Twins: twins,
};
const lookups: Lookups = {
  server: {
    named: (_, name) => answer('server named', name, servers[name] ?? []),
    withUuid: (_, wanted) =>
      answer('server with UUID', wanted, wanted === uuid ? [{ id: 13, name: 'x' }] : []),
    known: (_, ids) => answer('servers', ids, [11, 12]),
  },
  location: {
    words: 'place',
    named: (_, name) => answer('location named', name, [{ id: 31, name }]),
  },
  project: {
    named: ({ pathId }, name) => answer('project named', { name, pathId }, [{ id: 41, name }]),
  },
  member: {
    named: ({ pathId }, name) => answer('member named', { name, pathId }, [{ id: 51, name }]),
  },
  user: { isCalled: 'has the email address', named: async () => [] },
  ...{
    operating_system: { list: 'GET /v1/operating-systems' },
    size: {},
    token: {},
    ssh_key: {},
    webhook: {},
    node: {},
  },
};

const params = PathParams({ id: 'server' });
const response = { 200: Type.Any() };
const config = { scope: 'servers:read', needsConfirmation: false } as const;
const Body = Type.Object({
  server_id: Type.Optional(Reference('server', 'A server.')),
  location_id: Type.Optional(Reference('location', 'A location.')),
  server_ids: Type.Optional(Type.Array(Reference('server', 'A server.'))),
});
const querystring = Type.Object({
  server_id: AnyOf(Reference('server', 'A server.')),
  location_id: AnyOf(Reference('location', 'A location.')),
  kind: AnyOf(Type.String()),
  target_id: AnyOf(ReferenceBy('kind', 'Something.')),
});

/** Routes that return the resolved references. */
function probeRoutes(api: App, { db: probed, secretKey }: Deps): void {
  const shown = ({ params: path, query, body }: FastifyRequest) => ({
    path,
    query,
    body,
    fields: [query, body].map((part) => Object.keys(part ?? {})),
  });
  api.get('/probe', { config, schema: { querystring, response } }, async (request) =>
    shown(request),
  );
  api.get('/probe/:id', { config, schema: { params, response } }, async (request) =>
    shown(request),
  );
  const member = PathParams({ id: 'project', user_id: 'member' });
  api.get(
    '/members/:id/:user_id',
    { config, schema: { params: member, response } },
    async (request) => shown(request),
  );
  const operation = PathParams({ id: 'operation' });
  api.get('/operation/:id', { config, schema: { params: operation, response } }, async (request) =>
    shown(request),
  );
  api.post('/probe', { config, schema: { body: Body, response } }, (request) =>
    changesNothing(request, Promise.resolve(shown(request))),
  );
  api.post(
    '/kept',
    { config, schema: { body: Body, querystring, response } },
    async (request, reply) => {
      const kept = await idempotently(request, probed, secretKey, async () => {
        return { status: 200, body: shown(request) };
      });
      markAudited(request);
      return sendAnswer(reply, kept);
    },
  );
  const homeless = { ...config, worksWithoutProject: true };
  api.get('/homeless', { config: homeless, schema: { querystring, response } }, async (request) =>
    shown(request),
  );
}

let app: App;
let headers: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [probeRoutes, sessionRoutes], { lookups });
  ({ headers } = await createTestToken(db));
});
after(() => app.close());
beforeEach(() => {
  asked = [];
});

const get = (url: string, more = {}) =>
  app.inject({ url: `/v1${url}`, headers: { ...headers, ...more } });
const post = (payload: object, url = '/probe', more = {}) =>
  app.inject({ method: 'POST', url: `/v1${url}`, headers: { ...headers, ...more }, payload });
const errorsOf = (answered: Awaited<ReturnType<typeof get>>) => [
  answered.statusCode,
  answered.json().errors,
];
const problemOf = (answered: Awaited<ReturnType<typeof get>>) => {
  const { code, detail } = answered.json();
  return [answered.statusCode, code, detail];
};

test('a path can have an id, a UUID or a name', async () => {
  const path = async (reference: string) => (await get(`/probe/${reference}`)).json().path;
  assert.deepEqual(await path('7'), { id: 7 });
  assert.deepEqual(asked, [], 'an id in a path is looked up only by the route');
  assert.deepEqual(await path('web'), { id: 11 });
  assert.deepEqual(await path(uuid), { id: 13 });
  assert.deepEqual(asked, [
    ['server named', 'web'],
    ['server with UUID', uuid],
  ]);
});

test('a reference is looked up with the id that begins the path', async () => {
  assert.deepEqual((await get('/members/team/eve')).json().path, { id: 41, user_id: 51 });
  assert.deepEqual((await get('/members/7/eve')).json().path, { id: 7, user_id: 51 });
  assert.deepEqual(asked, [
    ['project named', { name: 'team', pathId: undefined }],
    ['member named', { name: 'eve', pathId: 41 }],
    ['member named', { name: 'eve', pathId: 7 }],
  ]);
});

test('an unknown reference in a path is a 404 that names its id, name or UUID', async () => {
  const other = uuid.replace('6', '7');
  const name = 'n'.repeat(40);
  for (const [url, code, detail] of [
    ['/probe/0', 'server_not_found', 'No server has the id 0.'],
    ['/probe/nobody', 'server_not_found', 'No server is called nobody.'],
    ['/probe/%20', 'server_not_found', 'No server is called " ".'],
    ['/probe/%20web', 'server_not_found', 'No server is called " web".'],
    [`/probe/${name}`, 'server_not_found', `No server is called ${name}.`],
    [`/probe/${name}x`, 'server_not_found', `No server is called ${name}….`],
    [`/probe/${other}`, 'server_not_found', `No server has the UUID ${other}.`],
    ['/operation/web', 'operation_not_found', 'No operation has the id web.'],
    [`/operation/${other}`, 'operation_not_found', `No operation has the id ${other}.`],
  ]) {
    assert.deepEqual(problemOf(await get(url ?? '')), [404, code, detail]);
  }
  asked = [];
  const unspeakable = await get('/probe/%00');
  assert.deepEqual(problemOf(unspeakable).slice(0, 2), [404, 'server_not_found']);
  assert.deepEqual(asked, [], 'no server can have that name');
});

test('if several objects have a name, the exact match is used, or else the candidates are returned', async () => {
  assert.deepEqual((await get('/probe/twin')).json().path, { id: 22 });
  const [ids, shown] = ['21, 22, 23', twins];
  for (const [name, listed, candidates] of [
    ['Twins', ids, shown],
    ['TWIN', `${ids}, 24`, couple],
  ] as const) {
    const refused = await get(`/probe/${name}`);
    const detail = `Several servers are called ${name}. Use one of these IDs: ${listed}.`;
    assert.deepEqual(problemOf(refused), [409, 'ambiguous_name', detail]);
    assert.deepEqual(refused.json().candidates, candidates);
  }
});

test('names in a body are replaced by ids, and omitted fields stay omitted', async () => {
  const given = { server_id: 'web', location_id: uuid, server_ids: ['db', 5, '12', 'web'] };
  const answered = (await post(given)).json();
  // A location has no UUID, so this is a name.
  assert.deepEqual(answered.body, { server_id: 11, location_id: 31, server_ids: [12, 5, 11] });
  assert.deepEqual(asked, [
    ['server named', 'web'],
    ['location named', uuid],
    ['server named', 'db'],
    ['server named', 'web'],
  ]);
  const few = (await post({ server_id: 5 })).json();
  assert.deepEqual([few.body, few.fields], [{ server_id: 5 }, [[], ['server_id']]]);
});

test('each unknown name in a body is an error of its field', async () => {
  const refused = await post({ server_id: 'nobody', server_ids: ['web', 'nobody', 'none'] });
  assert.deepEqual(errorsOf(refused), [
    422,
    [
      { pointer: '/server_id', detail: 'No server is called nobody.' },
      { pointer: '/server_ids/1', detail: 'No server is called nobody.' },
      { pointer: '/server_ids/2', detail: 'No server is called none.' },
    ],
  ]);
});

test('the ids of a filter are checked if the noun can look them up', async () => {
  const found = (await get('/probe?server_id=web,12&location_id=999')).json();
  assert.deepEqual(found.query, { server_id: [11, 12], location_id: [999] });
  assert.deepEqual(asked, [
    ['server named', 'web'],
    ['servers', [11, 12]],
  ]);
  asked = [];
  const refused = await get('/probe?server_id=12,999,nobody');
  assert.deepEqual(errorsOf(refused), [
    422,
    [
      { parameter: 'server_id', detail: 'No server has the id 999.' },
      { parameter: 'server_id', detail: 'No server is called nobody.' },
    ],
  ]);
  assert.deepEqual(asked, [
    ['server named', 'nobody'],
    ['servers', [12, 999]],
  ]);
  asked = [];
  assert.equal((await get('/probe?server_id=nobody')).statusCode, 422);
  assert.deepEqual(asked, [['server named', 'nobody']], 'there are no ids to check');
});

test('the noun of a reference can be the value of another parameter, which then needs exactly one value', async () => {
  const target = async (query: string) => (await get(`/probe?${query}`)).json();
  assert.deepEqual((await target('kind=server&target_id=web,999')).query.target_id, [11, 999]);
  assert.deepEqual((await target('kind=location&target_id=here')).query.target_id, [31]);
  assert.deepEqual(asked, [
    ['server named', 'web'],
    ['location named', 'here'],
  ]);
  for (const query of ['kind=server,location', 'kind=ship', '']) {
    for (const id of ['5', 'web', '5,web']) {
      const { errors } = await target(`${query}&target_id=${id}`);
      const detail = 'Requires exactly one `kind`.';
      assert.deepEqual(errors, [{ parameter: 'target_id', detail }], query);
    }
  }
});

test('errors use the words of the noun', async () => {
  const refused = await get('/probe?kind=location&target_id=%01');
  assert.deepEqual(errorsOf(refused)[0], 422);
  assert.deepEqual((await get('/probe?kind=operation&target_id=x')).json().errors, [
    { parameter: 'target_id', detail: 'No operation has the id x.' },
  ]);
  assert.deepEqual((await get('/probe?kind=user&target_id=eve@example.com')).json().errors, [
    { parameter: 'target_id', detail: 'No user has the email address eve@example.com.' },
  ]);
  assert.deepEqual((await post({ location_id: '0' })).json().errors, [
    { pointer: '/location_id', detail: 'No place has the id 0.' },
  ]);
  const list = 'List the operating systems with GET /v1/operating-systems.';
  assert.deepEqual((await get('/probe?kind=operating_system&target_id=x')).json().errors, [
    { parameter: 'target_id', detail: `No operating system has the id x. ${list}` },
  ]);
});

test('users without a project find nothing by name, and ids are not checked for them', async () => {
  const { credentials } = await createTestUser(db);
  const { ask } = await signInAs(app, credentials);
  const found = await ask('GET', '/homeless?server_id=999');
  assert.deepEqual(found.json().query, { server_id: [999] });
  const refused = await ask('GET', '/homeless?server_id=web');
  assert.deepEqual(errorsOf(refused), [
    422,
    [{ parameter: 'server_id', detail: 'No server is called web.' }],
  ]);
  assert.deepEqual(asked, []);
});

test('a stored response is replayed whatever its names mean now', async () => {
  const key = { 'idempotency-key': 'kept' };
  const given = { server_id: 'soon' };
  servers.soon = [{ id: 14, name: 'soon' }];
  const first = await post(given, '/kept', key);
  assert.deepEqual(first.json().body, { server_id: 14 });
  for (const now of [[{ id: 15, name: 'soon' }], [], twins]) {
    servers.soon = now;
    const again = await post(given, '/kept', key);
    assert.deepEqual([again.statusCode, again.json()], [200, first.json()]);
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
  // A request with an unknown name has no stored response.
  const other = { 'idempotency-key': 'another' };
  assert.equal((await post(given, '/kept', other)).json().code, 'ambiguous_name');
  assert.equal((await post(given, '/kept')).json().code, 'ambiguous_name');
  const changed = await post({ server_id: 'nobody' }, '/kept', key);
  assert.equal(changed.json().code, 'idempotency_mismatch');
  // Reads have no stored responses.
  const read = await get('/probe?server_id=nobody', key);
  assert.equal(read.json().code, 'validation_failed');
});

test('an internal error is not hidden by a stored response', async () => {
  const key = { 'idempotency-key': 'fault' };
  const given = { server_id: 'shaky' };
  servers.shaky = [{ id: 16, name: 'shaky' }];
  assert.equal((await post(given, '/kept', key)).statusCode, 200);
  Object.defineProperty(servers, 'shaky', {
    get: () => {
      throw new Error('The lookup has a fault.');
    },
  });
  const failed = await post(given, '/kept', key);
  assert.deepEqual([failed.statusCode, failed.json().code], [500, 'internal_error']);
});
