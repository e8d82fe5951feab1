import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import type { Db } from '../db/connection.ts';
import { routes } from '../routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { actionCases, headerCases } from '../testing/bad-input/bad-action-cases.ts';
import { bulkCases } from '../testing/bad-input/bad-bulk-cases.ts';
import {
  type BadCase,
  changeCases,
  fieldCases,
  post,
  updateCases,
  type World,
} from '../testing/bad-input/bad-input-cases.ts';
import { bodyCases, idCases, queryCases } from '../testing/bad-input/bad-request-cases.ts';
import { setupCases } from '../testing/bad-input/bad-setup-cases.ts';
import { sizeCases } from '../testing/bad-input/bad-size-cases.ts';
import { webhookCases } from '../testing/bad-input/bad-webhook-cases.ts';
import { fingerprintOf } from '../testing/fingerprint.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { thisMonthAndNext } from '../testing/months.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { placeOf } from '../testing/probe.ts';
import { enterServer, operationUnderWay, serverBody } from '../testing/servers.ts';
import { enterSize } from '../testing/sizes.ts';
import { revokeToken } from '../tokens/credential-queries.ts';
import { generateToken } from '../tokens/token.ts';

const { db, close } = await createTestDatabase();
after(close);

const world = await createWorld(db);
let app: App;
let untouched: string;
before(async () => {
  app = await createTestApp(db, [...routes]);
  untouched = await fingerprintOf(db);
});
after(() => app.close());

async function createWorld(db: Db): Promise<World> {
  const place = await installation(db);
  const { id: otherProject } = await db
    .insertInto('projects')
    .values({ name: 'other' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const foreign = { ...place, projectId: otherProject };
  const starting = await enterServer(db, place, { status: 'stopped', operation: 'start' });
  const foreignServer = await enterServer(db, foreign, { status: 'stopped', operation: 'start' });
  return {
    ...place,
    started: await enterServer(db, place),
    stopped: await enterServer(db, place, { status: 'stopped' }),
    paused: await enterServer(db, place, { status: 'paused' }),
    creating: await enterServer(db, place, { status: 'creating', operation: 'create' }),
    deleting: await enterServer(db, place, { status: 'deleting', operation: 'delete' }),
    failed: await enterServer(db, place, { status: 'error' }),
    exceeded: await enterExceeded(db, place),
    starting,
    operation: (await operationUnderWay(db, starting)).id,
    foreignServer,
    foreignOperation: (await operationUnderWay(db, foreignServer)).id,
    ...(await enterDisabled(db)),
    ...(await enterSizes(db)),
    held: await enterHeld(db, place),
    tokens: await enterTokens(db),
  };
}

async function enterExceeded(db: Db, place: Installation): Promise<World['exceeded']> {
  await db.updateTable('locations').set({ traffic_policy: 'stop' }).execute();
  const exceeded = {
    started: await enterServer(db, place),
    stopped: await enterServer(db, place, { status: 'stopped' }),
  };
  for (const server_id of Object.values(exceeded)) {
    const traffic = thisMonthAndNext().map((month) => {
      return { server_id, month, incoming: 0, outgoing: 10 };
    });
    await db.insertInto('traffic_months').values(traffic).execute();
    const allowance = { traffic_allowance: 10 };
    await db.updateTable('servers').set(allowance).where('id', '=', server_id).execute();
  }
  return exceeded;
}

/** Inserts a disabled location and a disabled operating system. */
async function enterDisabled(db: Db) {
  const {
    id: _,
    created_at: __,
    ...location
  } = await db.selectFrom('locations').selectAll().executeTakeFirstOrThrow();
  const engine = JSON.stringify(location.engine);
  const { id: disabledLocation } = await db
    .insertInto('locations')
    .values({ ...location, engine, name: 'closed', enabled: false })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: disabledOs } = await db
    .updateTable('operating_systems')
    .set({ enabled: false })
    .where('slug', '=', 'debian-13')
    .returning('id')
    .executeTakeFirstOrThrow();
  return { disabledLocation, disabledOs };
}

/** Inserts sizes that no server can get, and one that servers can. */
async function enterSizes(db: Db): Promise<Pick<World, 'sizes' | 'goodSize'>> {
  const enter = (name: string, more = {}) => enterSize(db, { name, ...more });
  const deprecated = await enter('deprecated');
  const deleted = await enter('deleted');
  const change = db.updateTable('sizes');
  await change.set({ deprecated: true }).where('id', '=', deprecated).execute();
  await change.set({ deleted_at: new Date() }).where('id', '=', deleted).execute();
  const { id: closed } = await db
    .selectFrom('locations')
    .select('id')
    .where('name', '=', 'closed')
    .executeTakeFirstOrThrow();
  const sizes = {
    ...{ deprecated, deleted },
    elsewhere: await enter('elsewhere', { locationIds: [closed] }),
    huge: await enter('huge', { cpu: 5 }),
    tiny: await enter('tiny', { ram: 128 }),
    thin: await enter('thin', { disk: 1 }),
  };
  return { sizes, goodSize: await enter('good') };
}

/** Inserts a project that is held to sizes, with a server that has none. */
async function enterHeld(db: Db, place: Installation): Promise<World['held']> {
  const { id: projectId } = await db
    .insertInto('projects')
    .values({ name: 'held', sizes_only: true })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { token } = await createTestToken(db, { project: 'held', scopes: ['servers:write'] });
  return { token, server: await enterServer(db, { ...place, projectId }) };
}

async function enterTokens(db: Db): Promise<World['tokens']> {
  const good = await createTestToken(db, { scopes: ['servers:write'] });
  const reader = await createTestToken(db, { scopes: ['servers:read'] });
  const expired = await createTestToken(db, { expiresAt: new Date(Date.now() - 1000) });
  const revoked = await createTestToken(db);
  await revokeToken(db, revoked.id);
  return {
    good: good.token,
    reader: reader.token,
    expired: expired.token,
    revoked: revoked.token,
    unknown: generateToken(),
  };
}

const tables: Record<string, (world: World) => BadCase[]> = {
  'fields of a create': fieldCases,
  'fields of a rebuild and of a resize': changeCases,
  'fields of an update': updateCases,
  sizes: sizeCases,
  'the first administrator': setupCases,
  bodies: bodyCases,
  'ids in paths': idCases,
  queries: queryCases,
  actions: actionCases,
  'actions on several servers': bulkCases,
  headers: headerCases,
  webhooks: webhookCases,
};

for (const [name, cases] of Object.entries(tables)) {
  suite(`bad ${name}`, () => {
    for (const bad of cases(world)) test(bad.name, () => refuses(bad));
  });
}

async function refuses({ request, status, code, pointers, answered = {} }: BadCase) {
  const authorization = `Bearer ${world.tokens.good}`;
  const headers = { authorization, ...request.headers };
  const answer = await inject(app, { ...request, headers: defined(headers) });
  const { code: given, errors = [] } = answer.body === '' ? {} : answer.json();
  assert.deepEqual({ status: answer.statusCode, code: given }, { status, code }, answer.body);
  if (pointers) assert.deepEqual(errors.map(placeOf).sort(), pointers.toSorted());
  for (const [header, pattern] of Object.entries(answered)) {
    assert.match(String(answer.headers[header]), pattern);
  }
  const previous = untouched;
  untouched = await fingerprintOf(db);
  assert.equal(untouched, previous, 'nothing was created or changed');
}

/** Without headers that are undefined. */
function defined(headers: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}

test('a request that is refused because of an operation names that operation', async () => {
  const { id, kind, progress, server_id, status } = await operationUnderWay(db, world.starting);
  const url = `/v1/servers/${world.starting}/stop`;
  const headers = { authorization: `Bearer ${world.tokens.good}` };
  const answer = await inject(app, { method: 'POST', url, headers });
  assert.deepEqual(answer.json().operation, {
    ...{ id, kind, progress, server_id, status },
    error: null,
  });
  assert.ok(answer.json().detail.includes(`operation ${id}`));
});

test('the error for a body that is invalid as a whole says so', async () => {
  const headers = { authorization: `Bearer ${world.tokens.good}` };
  const answer = await inject(app, post('/v1/servers', '[]', headers));
  assert.equal(answer.json().detail, 'The body must be a JSON object, not an array.');
});

test('another request with the same Idempotency-Key is refused', async () => {
  const key = { authorization: `Bearer ${world.tokens.good}`, 'idempotency-key': 'once' };
  const first = await inject(app, post('/v1/servers', serverBody(world), key));
  assert.equal(first.statusCode, 201);
  const before = await fingerprintOf(db);
  const others = [
    post('/v1/servers', serverBody(world, { cpu: 2 }), key),
    post('/v1/servers', serverBody(world, { password: 'another password' }), key),
    post('/v1/servers', serverBody(world, { initialCommands: [] }), key),
    post(`/v1/servers/${world.stopped}/start`, {}, key),
    post(`/v1/servers/${world.started}/stop`, { force: true }, key),
  ];
  for (const other of others) {
    const answer = await inject(app, other);
    assert.equal(answer.statusCode, 422, answer.body);
    assert.equal(answer.json().code, 'idempotency_mismatch');
  }
  assert.equal(await fingerprintOf(db), before);
});
