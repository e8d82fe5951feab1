import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Db } from '../../service/src/db/connection.ts';
import { createTestToken } from '../../service/src/testing/app.ts';
import { enterDrift } from '../../service/src/testing/drift.ts';
import { fingerprintOf } from '../../service/src/testing/fingerprint.ts';
import { inject } from '../../service/src/testing/inject.ts';
import { enterServer } from '../../service/src/testing/servers.ts';
import { enterSize } from '../../service/src/testing/sizes.ts';
import { createWholeApp } from '../../service/src/testing/whole-app.ts';
import { createPeople, type Person } from './people.ts';
import {
  type OpenApi,
  type PlannedRequest,
  pathOf,
  plannedRequests,
  queryText,
} from './requests.ts';

const batch = 500;
const mostKnown = 200;
/** Lists whose ids are used. Only its own tokens, users and projects may be changed. */
const seen = new Set(['/v1/servers', '/v1/operations', '/v1/address-pools', '/v1/drift']);

export interface FuzzFigures {
  seed: number;
  requests: number;
  byStatus: Record<string, number>;
}

/**
 * Sends requests that are generated from the API description, in an order that the seed determines, with ids from
 * earlier responses. Throws for a 5xx response, for a response that does not match its schema, and for a change without
 * permission or in another project.
 */
export async function fuzz({
  seed,
  requests,
}: {
  seed: number;
  requests: number;
}): Promise<FuzzFigures> {
  const whole = await createWholeApp({ addresses: 200 });
  try {
    return await fuzzOn(whole, seed, requests);
  } finally {
    await whole.close();
  }
}

async function fuzzOn(
  { app, db, place }: Awaited<ReturnType<typeof createWholeApp>>,
  seed: number,
  requests: number,
): Promise<FuzzFigures> {
  const api = (await app.inject({ url: '/openapi.json' })).json() as OpenApi;
  const planned = plannedRequests(api);
  const people = await createPeople(db, place.projectId);
  const foreign = await createForeign(db, place);
  const untouched = await projectText(db, foreign);
  const known = new Map<string, (number | string)[]>();
  const byStatus: Record<string, number> = {};
  learn(known, '/v1/projects/{id}', place.projectId);
  for (const id of [place.locationId, 'test']) learn(known, '/v1/locations/{id}', id);
  for (const id of [await enterSize(db), 'small']) learn(known, '/v1/sizes/{id}', id);
  for (const id of [place.osId, 'debian-12']) learn(known, '/v1/operating-systems/{id}', id);
  for (const status of ['started', 'stopped', 'error'] as const) {
    const serverId = await enterServer(db, place, { status });
    learn(known, '/v1/servers/{id}', serverId);
    const isMissing = status === 'error';
    learn(known, '/v1/drift/{id}', await enterDrift(db, place, { serverId, isMissing }));
  }
  learn(known, '/v1/drift/{id}', await enterDrift(db, place));
  for (let sent = 0; sent < requests; sent += batch) {
    const numRuns = Math.min(batch, requests - sent);
    for (const request of fc.sample(planned, { seed: seed + sent, numRuns })) {
      const status = await send(request);
      byStatus[status] = (byStatus[status] ?? 0) + 1;
    }
    assert.equal(
      await projectText(db, foreign),
      untouched,
      "another project's rows are not changed",
    );
  }
  return { seed, requests, byStatus };

  async function send(request: PlannedRequest): Promise<number> {
    const person = people[request.who % people.length];
    assert.ok(person);
    const before = mayTell(request, person) ? await fingerprintOf(db) : undefined;
    const url = pathOf(request, knownIds(request.path)) + queryText(request.query);
    const answer = await inject(app, {
      method: request.method as 'GET',
      url,
      headers: { ...asList(request), ...bodyType(request), ...person.headers, ...request.headers },
      ...(request.body !== undefined && { payload: JSON.stringify(request.body) }),
    });
    const about = `${request.method} ${url} ${JSON.stringify(request.body)} → ${answer.body}`;
    assert.ok(answer.statusCode < 500, about);
    if (before !== undefined) assert.equal(await fingerprintOf(db), before, about);
    if (answer.statusCode < 300) learnFrom(request, answer.body);
    if (answer.statusCode === 401)
      person.headers = (await person.signInAgain?.()) ?? person.headers;
    return answer.statusCode;
  }

  function knownIds(path: string): Record<string, readonly (number | string)[]> {
    const users = known.get('/v1/users/{id}') ?? [];
    return { id: known.get(nounOf(path)) ?? [], user_id: users };
  }

  function learnFrom({ path, method }: PlannedRequest, body: string): void {
    if (method === 'POST' && !path.includes('{id}')) {
      const { id } = JSON.parse(body) as { id?: number };
      if (id !== undefined) learn(known, `${path}/{id}`, id);
    }
    if (!seen.has(path) || method !== 'GET') return;
    for (const { id, hostname, uuid } of (JSON.parse(body) as Listed[]).slice(0, 3)) {
      if (known.get(`${path}/{id}`)?.includes(id)) continue;
      for (const one of [id, hostname, uuid]) {
        if (one !== undefined) learn(known, `${path}/{id}`, one);
      }
    }
  }
}

/** Checked only sometimes, because it reads everything. */
function mayTell({ id, method, path }: PlannedRequest, { mayChange }: Person): boolean {
  if (mayChange === 'anything' || method === 'GET' || id % 5 !== 0) return false;
  return mayChange === 'nothing' || !/^\/v1\/(session|passkey)/.test(path);
}

/** A stream of events would not end. */
const asList = ({ operationId }: PlannedRequest) =>
  operationId === 'event_list' ? { accept: 'application/json' } : {};

const bodyType = ({ body }: PlannedRequest) =>
  body === undefined ? {} : { 'content-type': 'application/json' };

/** The noun in a path such as `/v1/servers/{id}/start`. */
const nounOf = (path: string) => path.replace(/(\{id\}).*$/, '$1');

/** How an item of a list can be referred to; only servers have more than an id. */
interface Listed {
  id: number;
  hostname?: string;
  uuid?: string;
}

function learn(known: Map<string, (number | string)[]>, noun: string, id: number | string): void {
  known.set(noun, [id, ...(known.get(noun) ?? [])].slice(0, mostKnown));
}

async function createForeign(db: Db, place: Parameters<typeof enterServer>[1]): Promise<number> {
  const query = db.insertInto('projects').values({ name: 'another' }).returning('id');
  const { id: projectId } = await query.executeTakeFirstOrThrow();
  await enterServer(db, { ...place, projectId }, { operation: 'stop' });
  await createTestToken(db, { project: 'another' });
  return projectId;
}

async function projectText(db: Db, id: number): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select s::text as text from servers s where project_id = ${id}
    union all select o::text from operations o where project_id = ${id}
    union all select p::text from projects p where id = ${id}
    union all select m::text from memberships m where project_id = ${id}
    union all select t::text from tokens t where project_id = ${id}`.execute(db);
  return rows.map(({ text }) => text).join('\n');
}
