import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { deleteMember } from '../projects/members/queries.ts';
import { lockProject, markProjectDeleted } from '../projects/queries.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { revokeToken } from './credential-queries.ts';
import { insertToken, markTokenRevoked } from './queries.ts';
import { tokenRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let projectId: number;
before(async () => {
  app = await createTestApp(db, [sessionRoutes, tokenRoutes]);
  ({ projectId } = await createTestToken(db));
});
after(() => app.close());

interface Made {
  id: number;
  token: string;
}
let root: Made;
beforeEach(async () => {
  root = await createTestToken(db);
});

const bearer = ({ token }: Made) => ({ authorization: `Bearer ${token}` });
const post = (headers: object) => {
  const payload = { name: 'made', scopes: ['admin'] };
  return inject(app, { method: 'POST', url: '/v1/tokens', headers: { ...headers }, payload });
};

async function childOf(parent: Made, headers: object = {}): Promise<Made> {
  const answer = await post({ ...bearer(parent), ...headers });
  assert.equal(answer.statusCode, 201, answer.body);
  assert.equal(answer.json().parent_id, parent.id);
  return answer.json();
}

async function holds(made: Made): Promise<boolean> {
  const answer = await inject(app, { url: '/v1/whoami', headers: bearer(made) });
  return answer.statusCode === 200;
}

async function generations(): Promise<Made[]> {
  const elsewhere = await createTestProject(db, `of ${root.id}`);
  const child = await childOf(root);
  const grandchild = await childOf(child, { 'berth-project': String(elsewhere) });
  return [root, child, grandchild, await childOf(grandchild)];
}

const ends: Record<string, () => Promise<unknown>> = {
  'the API': async () => {
    const { headers } = await createTestToken(db);
    const url = `/v1/tokens/${root.id}`;
    assert.equal((await inject(app, { method: 'DELETE', url, headers })).statusCode, 200);
  },
  'the command line': () => revokeToken(db, root.id),
};

for (const [who, end] of Object.entries(ends)) {
  test(`revoking a token with ${who} also revokes its descendants, in all projects`, async () => {
    const all = await generations();
    const stranger = await childOf(await createTestToken(db));
    assert.deepEqual(await Promise.all(all.map(holds)), [true, true, true, true]);
    await end();
    assert.deepEqual(await Promise.all(all.map(holds)), [false, false, false, false]);
    assert.ok(await holds(stranger));
  });
}

test('the response and the audit log count the tokens that were newly revoked', async () => {
  await generations();
  const gone = await childOf(root);
  const { headers } = await createTestToken(db);
  const revoke = async ({ id }: Made) => {
    const answer = await inject(app, { method: 'DELETE', url: `/v1/tokens/${id}`, headers });
    return answer.json().revoked_tokens;
  };
  assert.equal(await revoke(gone), 1);
  assert.equal(await revoke(root), 4);
  const entry = db.selectFrom('audit_log').select('details').where('action', '=', 'token_revoke');
  const { details } = await entry.where('target_id', '=', root.id).executeTakeFirstOrThrow();
  assert.deepEqual(details, { revoked_tokens: 4 });
});

test('deleting a project revokes its tokens and their descendants in other projects', async () => {
  const project = `doomed ${root.id}`;
  const id = await createTestProject(db, project);
  const doomed = await createTestToken(db, { project });
  const child = await childOf(doomed, { 'berth-project': String(projectId) });
  await db.transaction().execute((trx) => markProjectDeleted(trx, id));
  assert.equal(await holds(child), false);
});

test('revoking a token keeps its ancestors', async () => {
  const [, child, grandchild] = await generations();
  assert.ok(child && grandchild);
  await db.transaction().execute((trx) => markTokenRevoked(new Project(trx, projectId), child.id));
  assert.deepEqual(await Promise.all([root, child, grandchild].map(holds)), [true, false, false]);
});

/** Inserts tokens directly into the table, each of which was created with the previous one. */
async function chain(length: number): Promise<void> {
  await sql`
    with recursive line (id, at) as (
      select ${root.id}::bigint, 0
      union all
      select nextval(pg_get_serial_sequence('tokens', 'id')), at + 1 from line where at < ${length}
    ), ordered as (select id, at, lag(id) over (order by at) as parent_id from line)
    insert into tokens (id, project_id, name, secret_sha256, scopes, parent_id)
    overriding system value
    select id, ${projectId}, 'link', sha256(id::text::bytea), '{servers:read}', parent_id
    from ordered where at > 0 order by at`.execute(db);
}

const links = async () => {
  const query = db.selectFrom('tokens').select('id').where('name', '=', 'link');
  return (await query.where('revoked_at', 'is', null).execute()).length;
};

test('a thousand generations of tokens are revoked together', async () => {
  await chain(999);
  assert.equal(await links(), 999);
  await revokeToken(db, root.id);
  assert.equal(await links(), 0);
});

test('a token that is created while its parent is revoked is revoked, too', async () => {
  const values = { name: 'late', scopes: ['admin'] as const, expiresAt: null, createdBy: null };
  const make = (trx: Trx) =>
    insertToken(new Project(trx, projectId), {
      ...values,
      hash: Buffer.from(`late ${root.id}`),
      allowedNetworks: [],
      parentId: root.id,
    });
  assert.ok(await amid(db, make, () => revokeToken(db, root.id)));
  const late = await db
    .selectFrom('tokens')
    .select('revoked_at')
    .where('name', '=', 'late')
    .executeTakeFirstOrThrow();
  assert.ok(late.revoked_at);
});

test('a token that is being revoked cannot create another one', async () => {
  const revoke = (trx: Trx) => revokeToken(trx, root.id);
  const answer = await amid(db, revoke, () => post(bearer(root)));
  assert.deepEqual([answer.statusCode, answer.json().code], [401, 'token_invalid']);
});

test('a member who is being removed cannot create a token', async () => {
  const user = await createTestUser(db, { roles: { [projectId]: 'member' } });
  const { ask } = await signInAs(app, user.credentials);
  const remove = async (trx: Trx) => {
    await lockProject(trx, projectId);
    await deleteMember(trx, projectId, user.id);
  };
  const body = { name: 'left behind', scopes: ['servers:read'] };
  const answer = await amid(db, remove, () => ask('POST', '/tokens', { body }));
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found']);
});

test('a token of a member who is being removed cannot create another one', async () => {
  const user = await createTestUser(db, { roles: { [projectId]: 'member' } });
  const { ask } = await signInAs(app, user.credentials);
  const scopes = ['servers:read', 'servers:write'];
  const own = (await ask('POST', '/tokens', { body: { name: 'own', scopes } })).json();
  const remove = async (trx: Trx) => {
    await lockProject(trx, projectId);
    await deleteMember(trx, projectId, user.id);
  };
  const payload = { name: 'late child', scopes: ['servers:read'] };
  const answer = await amid(db, remove, () =>
    inject(app, { method: 'POST', url: '/v1/tokens', headers: bearer(own), payload }),
  );
  assert.deepEqual([answer.statusCode, answer.json().code], [401, 'token_invalid']);
});

test('no token is created in a project that is being deleted', async () => {
  const project = `vanishing ${root.id}`;
  const id = await createTestProject(db, project);
  const { headers } = await createTestToken(db, { project });
  const answer = await amid(
    db,
    (trx) => markProjectDeleted(trx, id),
    () => post(headers),
  );
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found']);
});

test('a project has at most a thousand valid tokens, even with concurrent requests', async () => {
  const project = `full ${root.id}`;
  const id = await createTestProject(db, project);
  const { headers } = await createTestToken(db, { project });
  await sql`
    insert into tokens (project_id, name, secret_sha256, scopes, expires_at, revoked_at)
    select ${id}, 'filler', sha256((${project} || n)::bytea), '{servers:read}',
      case n when 1 then now() when 3 then now() + interval '1 day' end,
      case n when 2 then now() end
    from generate_series(1, 1000) n`.execute(db);
  const answers = await Promise.all([1, 2, 3].map(() => post(headers)));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 403, 403]);
  const refused = answers.find(({ statusCode }) => statusCode === 403);
  assert.equal(refused?.json().code, 'quota_exceeded');
  assert.match(refused?.json().detail, /Revoke some/);
});
