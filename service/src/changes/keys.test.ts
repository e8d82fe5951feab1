import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { aboutRequest } from './audit-entry.ts';
import { changesNothing } from './change.ts';
import { keysBefore, keysOf } from './keys.ts';

const { db, close } = await createTestDatabase();
after(close);

/**
 * Returns the fields of the audit entry and the keys of the limits for a request whose change belongs to project 77.
 */
function told(request: FastifyRequest) {
  const { requestId, ...about } = aboutRequest(request);
  assert.equal(requestId, request.id);
  const before = keysBefore(request);
  const of = (projectId: number | null) => keysOf(request, { userId: 66, projectId });
  return changesNothing(
    request,
    Promise.resolve({ about, before: before ?? null, of: of(77), ofNone: of(null) }),
  );
}

function probeRoutes(api: App): void {
  const response = { 200: Type.Any() };
  const schema = { operationId: 'probe', response };
  const options = { schema, config: { scope: 'servers:write', needsConfirmation: false } } as const;
  api.post('/probe', options, told);
  api.delete('/probe', options, told);
  api.post('/projects/:id/probe', options, told);
  const { config } = options;
  api.post('/homeless', { schema, config: { ...config, worksWithoutProject: true } }, told);
  api.post('/person', { schema, config: { ...config, scope: 'person' } }, told);
  api.post('/public', { schema: { response }, config: { ...config, scope: 'public' } }, told);
}

let app: App;
let another: number;
before(async () => {
  app = await createTestApp(db, [probeRoutes, sessionRoutes]);
  another = await createTestProject(db, 'another');
});
after(() => app.close());

async function toldOf(url: string, headers: object, method: 'POST' | 'DELETE' = 'POST') {
  const answer = await app.inject({ method, url: `/v1${url}`, headers: { ...headers } });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}
const common = { source: 'api', address: '127.0.0.1', action: 'probe' };

test('a token’s changes are counted for it and for the project', async () => {
  const { id, projectId, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const caller = `token ${id}`;
  const of = { caller, project: 'project 77' };
  const ofNone = { caller, project: null };
  const about = { ...common, tokenId: id, userId: null, byAdministrator: false };
  const own = { caller, project: `project ${projectId}` };
  assert.deepEqual(await toldOf('/probe', headers), { about, before: own, of, ofNone });
  // Whether the caller can access the project in the path is not known before the change.
  const inPath = await toldOf(`/projects/${another}/probe`, headers);
  assert.deepEqual(inPath, { about, before: ofNone, of, ofNone });
  assert.deepEqual(await toldOf('/probe', headers, 'DELETE'), { about, before: null, of, ofNone });
});

test('an administrator’s changes are counted for no project', async () => {
  const { id, headers } = await createTestToken(db, { scopes: ['admin'] });
  const keys = { caller: `token ${id}`, project: null };
  const about = { ...common, tokenId: id, userId: null, byAdministrator: true };
  const expected = { about, before: keys, of: keys, ofNone: keys };
  assert.deepEqual(await toldOf('/probe', headers), expected);
});

test('the changes of a user’s token are counted for the token', async () => {
  const user = await createTestUser(db, { roles: { [another]: 'owner' } });
  const { id, headers } = await createTestToken(db, {
    scopes: ['servers:write'],
    project: 'another',
  });
  await db.updateTable('tokens').set({ created_by: user.id }).where('id', '=', id).execute();
  const { about, before: keys } = await toldOf('/probe', headers);
  const { tokenId, userId, byAdministrator } = about;
  assert.deepEqual([tokenId, userId, byAdministrator], [id, user.id, false]);
  assert.deepEqual(keys, { caller: `token ${id}`, project: `project ${another}` });
});

test('a person’s changes are counted for the user, wherever they sign in', async () => {
  const { id, credentials } = await createTestUser(db, { roles: { [another]: 'owner' } });
  const { headers } = await signInAs(app, credentials);
  const caller = `user ${id}`;
  const of = { caller, project: 'project 77' };
  const ofNone = { caller, project: null };
  const about = { ...common, tokenId: null, userId: id, byAdministrator: false };
  const own = { caller, project: `project ${another}` };
  assert.deepEqual(await toldOf('/probe', headers), { about, before: own, of, ofNone });
  // Changes of the users themselves belong to no project.
  assert.deepEqual(await toldOf('/person', headers), { about, before: ofNone, of, ofNone });
});

test('changes of users without a project are counted by user, and entered as those of administrators if they are', async () => {
  for (const isAdmin of [false, true]) {
    const { id, credentials } = await createTestUser(db, { isAdmin });
    await db.deleteFrom('memberships').where('user_id', '=', id).execute();
    const { headers } = await signInAs(app, credentials);
    const ofNone = { caller: `user ${id}`, project: null };
    const of = isAdmin ? ofNone : { ...ofNone, project: 'project 77' };
    const about = { ...common, tokenId: null, userId: id, byAdministrator: isAdmin };
    const expected = { about, before: ofNone, of, ofNone };
    assert.deepEqual(await toldOf('/person', headers), expected);
    if (!isAdmin) assert.deepEqual(await toldOf('/homeless', headers), expected);
  }
});

test('a sign-in is counted separately by user, and a route without an operationId is entered by its method and path', async () => {
  const caller = 'sign-ins of 66';
  assert.deepEqual(await toldOf('/public', {}), {
    about: {
      ...{ tokenId: null, userId: null, byAdministrator: false },
      ...{ source: 'api', address: '127.0.0.1', action: 'POST /v1/public' },
    },
    before: null,
    of: { caller, project: 'project 77' },
    ofNone: { caller, project: null },
  });
});
