import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../../callers/app-types.ts';
import type { Trx } from '../../db/connection.ts';
import type { Role } from '../../db/schema/people-schema.ts';
import { createLimiter } from '../../limits/limiter.ts';
import { sessionRoutes } from '../../sessions/routes.ts';
import { createTestApp, createTestToken, generousLimits } from '../../testing/app.ts';
import { inject } from '../../testing/inject.ts';
import { amid } from '../../testing/locks.ts';
import { type Browser, createTestProject, createTestUser, signInAs } from '../../testing/people.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { tokenRoutes } from '../../tokens/routes.ts';
import { eraseUser, lockUser } from '../../users/queries.ts';
import { userRoutes } from '../../users/routes.ts';
import { projectRoutes } from '../routes.ts';
import { putMember } from './queries.ts';
import { membershipRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let ours: number;
let theirs: number;
before(async () => {
  const routes = [sessionRoutes, tokenRoutes, projectRoutes, membershipRoutes, userRoutes];
  app = await createTestApp(db, routes);
  ours = (await createTestToken(db)).projectId;
  theirs = await createTestProject(db, 'theirs');
});
after(() => app.close());

type Who = Role | 'stranger' | 'admin';

async function person(who: Who, projectId = ours): Promise<Browser & { id: number }> {
  const isAdmin = who === 'admin';
  const roles = who === 'stranger' || isAdmin ? {} : { [projectId]: who };
  const user = await createTestUser(db, { isAdmin, roles });
  return { id: user.id, ...(await signInAs(app, user.credentials)) };
}

const token = { name: 'x', scopes: ['servers:read'] };
const asks = {
  look: (p: Browser) => p.ask('GET', '/tokens'),
  change: (p: Browser) => p.ask('POST', '/tokens', { body: token }),
  project: (p: Browser) => p.ask('GET', `/projects/${ours}`),
  members: (p: Browser) => p.ask('GET', `/projects/${ours}/members`),
  users: (p: Browser) => p.ask('GET', '/users'),
  session: (p: Browser) => p.ask('GET', '/session'),
  'their project': (p: Browser) => p.ask('GET', `/projects/${theirs}`),
  'their members': (p: Browser) => p.ask('GET', `/projects/${theirs}/members`),
  'in their project': (p: Browser) => p.ask('GET', '/tokens', { 'berth-project': String(theirs) }),
};

const matrix: Record<keyof typeof asks, Record<Who, number>> = {
  look: { stranger: 404, viewer: 200, member: 200, owner: 200, admin: 200 },
  change: { stranger: 404, viewer: 403, member: 201, owner: 201, admin: 201 },
  project: { stranger: 404, viewer: 200, member: 200, owner: 200, admin: 200 },
  members: { stranger: 404, viewer: 403, member: 403, owner: 200, admin: 200 },
  users: { stranger: 404, viewer: 403, member: 403, owner: 403, admin: 200 },
  session: { stranger: 200, viewer: 200, member: 200, owner: 200, admin: 200 },
  'their project': { stranger: 404, viewer: 404, member: 404, owner: 404, admin: 200 },
  'their members': { stranger: 404, viewer: 404, member: 404, owner: 404, admin: 200 },
  'in their project': { stranger: 404, viewer: 404, member: 404, owner: 404, admin: 200 },
};

for (const who of ['stranger', 'viewer', 'member', 'owner', 'admin'] as const) {
  test(`the rights of the ${who}`, async () => {
    const browser = await person(who);
    for (const [name, ask] of Object.entries(asks)) {
      const { statusCode, body } = await ask(browser);
      assert.equal(statusCode, matrix[name as keyof typeof asks][who], `${name}: ${body}`);
    }
  });
}

test('a refused user is told whom to ask, and the token of an owner what it needs', async () => {
  const owner = await person('owner');
  assert.match(
    (await owner.ask('GET', '/users')).json().detail,
    /scope admin\. Ask an administrator\.$/,
  );
  const made = await owner.ask('POST', '/tokens', {
    body: { name: 'x', scopes: ['servers:write'] },
  });
  const headers = { authorization: `Bearer ${made.json().token}` };
  const refused = await inject(app, { url: `/v1/projects/${ours}/members`, headers });
  assert.equal(refused.json().code, 'owner_required');
  assert.match(
    refused.json().detail,
    /in a session, can do this\. A token needs the scope admin\.$/,
  );
});

test('a project of others gets the same response as if it did not exist', async () => {
  const { ask } = await person('owner');
  const answers = await Promise.all(
    [theirs, 999_999].map(async (id) => {
      const answer = await ask('GET', '/tokens', { 'berth-project': String(id) });
      assert.equal(answer.json().code, 'project_not_found');
      return answer.json().detail.replace(String(id), 'ID');
    }),
  );
  assert.equal(new Set(answers).size, 1);
});

test('a member of two projects selects one by the header, and can list both', async () => {
  const user = await createTestUser(db, { roles: { [theirs]: 'owner', [ours]: 'viewer' } });
  const { ask } = await signInAs(app, user.credentials);
  const acting = async (project?: number) => {
    const named = project === undefined ? {} : { 'berth-project': String(project) };
    const { project: in_, scopes } = (await ask('GET', '/whoami', named)).json();
    return [in_.id, scopes];
  };
  assert.deepEqual(await acting(), [ours, ['servers:read']]);
  assert.deepEqual(await acting(theirs), [theirs, ['servers:read', 'servers:write']]);
  const listed = (await ask('GET', '/projects')).json();
  assert.deepEqual(
    listed.map(({ id }: { id: number }) => id),
    [ours, theirs],
  );
});

test('without the header, the project of the oldest membership is used', async () => {
  const older = await createTestProject(db, 'older');
  const newer = await createTestProject(db, 'newer');
  const user = await createTestUser(db, { roles: { [newer]: 'viewer' } });
  const join = (projectId: number) =>
    db
      .transaction()
      .execute((trx) => putMember(trx, { projectId, userId: user.id, role: 'viewer' }));
  await join(older);
  await join(ours);
  await join(newer);
  const { ask } = await signInAs(app, user.credentials);
  assert.equal((await ask('GET', '/whoami')).json().project.id, newer);
  const projects = (await ask('GET', '/session')).json().projects;
  assert.deepEqual(
    projects.map(({ id }: { id: number }) => id),
    [newer, older, ours],
  );
  await ask('DELETE', '/session');
  await db.updateTable('users').set({ is_admin: true }).where('id', '=', user.id).execute();
  const admin = await signInAs(app, user.credentials);
  assert.equal((await admin.ask('GET', '/whoami')).json().project.id, newer);
});

test('an owner adds, changes and removes members, in the history of that project', async () => {
  const project = await createTestProject(db, 'shared');
  const owner = await createTestUser(db, { roles: { [ours]: 'viewer', [project]: 'owner' } });
  const { ask } = await signInAs(app, owner.credentials);
  const friend = await createTestUser(db);
  const url = `/projects/${project}/members/${friend.id}`;
  const put = (role: string) => ask('PUT', url, { body: { role } });
  const add = (email: string, role = 'member') =>
    ask('POST', `/projects/${project}/members`, { body: { email, role } });
  assert.equal((await ask('GET', url)).json().code, 'member_not_found');
  const added = await add(friend.email.toUpperCase());
  assert.deepEqual([added.statusCode, added.headers.location], [201, `/v1${url}`]);
  assert.deepEqual((await ask('GET', url)).json(), added.json());
  assert.equal(added.json().role, 'member');
  const again = await add(friend.email, 'owner');
  assert.deepEqual([again.statusCode, again.json().code], [409, 'already_member']);
  assert.equal((await put('viewer')).json().role, 'viewer');
  assert.equal((await ask('GET', `/projects/${project}/members`)).json().length, 2);
  assert.equal((await put('boss')).statusCode, 422);
  assert.equal((await ask('DELETE', url)).statusCode, 200);
  assert.equal((await ask('DELETE', url)).json().code, 'member_not_found');
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'user_id', 'target_id'])
    .where('project_id', '=', project)
    .where('status', '=', 200)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    entries.map((entry) => [entry.action, entry.user_id, entry.target_id]),
    ['member_set', 'member_remove'].map((action) => [action, owner.id, friend.id]),
  );
});

test('an owner learns nothing about users who are not members, by any id', async () => {
  const { ask } = await person('owner');
  const stranger = await createTestUser(db);
  const answers = [stranger.id, 999_999].map(async (id) => {
    const url = `/projects/${ours}/members/${id}`;
    const put = await ask('PUT', url, { body: { role: 'viewer' } });
    const others = [await ask('GET', url), await ask('DELETE', url)];
    return [put, ...others].map((answer) => {
      assert.equal(answer.json().code, 'member_not_found');
      return answer.json().detail.replace(String(id), 'ID');
    });
  });
  const [known, unknown] = await Promise.all(answers);
  assert.deepEqual(known, unknown);
});

test('a user who is deleted while their role is changed, or while they are added, is not a member', async () => {
  const { ask } = await person('owner');
  const members = `/projects/${ours}/members`;
  const friend = await createTestUser(db, { roles: { [ours]: 'viewer' } });
  const newcomer = await createTestUser(db);
  for (const [{ id }, change, status] of [
    [friend, () => ask('PUT', `${members}/${friend.id}`, { body: { role: 'member' } }), 404],
    [
      newcomer,
      () => ask('POST', members, { body: { email: newcomer.email, role: 'member' } }),
      422,
    ],
  ] as const) {
    const erase = async (trx: Trx) => {
      await lockUser(trx, id);
      await eraseUser(trx, id);
    };
    assert.equal((await amid(db, erase, change)).statusCode, status);
    const query = db.selectFrom('memberships').select('role').where('user_id', '=', id);
    assert.deepEqual(await query.execute(), []);
  }
});

test('an unknown email address gets an explanation, and adds nobody', async () => {
  const { ask } = await person('owner');
  for (const [body, words] of [
    [{ email: 'nobody@example.com', role: 'viewer' }, /Ask an administrator to add the user/],
    [{ email: 'nobody', role: 'viewer' }, /email address/],
    [{ role: 'viewer' }, /required/],
  ] as const) {
    const answer = await ask('POST', `/projects/${ours}/members`, { body });
    assert.equal(answer.statusCode, 422);
    assert.equal(answer.json().errors[0].pointer, '/email');
    assert.match(answer.json().errors[0].detail, words);
  }
});

test('attempts to find users by address are limited, except for administrators', async () => {
  const [owner, admin] = [await person('owner'), await person('admin')];
  const attempts = { burst: 3, perSecond: 1e-6 };
  const limiter = createLimiter({ ...generousLimits, attempts });
  const strict = await createTestApp(db, [membershipRoutes], { limiter });
  const statuses = async ({ headers }: Browser) => {
    const found: number[] = [];
    for (let at = 0; at < 4; at += 1) {
      const url = `/v1/projects/${ours}/members`;
      const payload = { email: `nobody-${at}@example.com`, role: 'viewer' };
      found.push((await inject(strict, { method: 'POST', url, headers, payload })).statusCode);
    }
    return found;
  };
  assert.deepEqual(await statuses(owner), [422, 422, 422, 429]);
  assert.deepEqual(await statuses(admin), [422, 422, 422, 422]);
  await strict.close();
});

test('the last owner can not be removed, not even by an administrator', async () => {
  const project = await createTestProject(db, 'kept');
  const owner = await createTestUser(db, { roles: { [project]: 'owner' } });
  const { ask } = await signInAs(app, owner.credentials);
  const admin = await person('admin');
  const url = `/projects/${project}/members/${owner.id}`;
  for (const refused of [
    await ask('PUT', url, { body: { role: 'member' } }),
    await ask('DELETE', url),
    await admin.ask('PUT', url, { body: { role: 'viewer' } }),
    await admin.ask('DELETE', url),
  ]) {
    assert.equal(refused.statusCode, 409);
    assert.equal(refused.json().code, 'last_owner');
  }
  await createTestUser(db, { roles: { [project]: 'owner' } });
  assert.equal((await admin.ask('DELETE', url)).statusCode, 200);
  assert.equal((await ask('GET', '/tokens')).json().code, 'project_not_found');
});

test('members can remove themselves, and no one else', async () => {
  const project = await createTestProject(db, 'left');
  const [one, other] = [await person('viewer', project), await person('member', project)];
  const leave = ({ id }: { id: number }) => `/projects/${project}/members/${id}`;
  assert.equal((await one.ask('DELETE', leave(other))).json().code, 'owner_required');
  assert.equal((await one.ask('DELETE', leave(one))).statusCode, 200);
  assert.equal((await one.ask('DELETE', leave(one))).json().code, 'project_not_found');
  const scopes = ['servers:write'];
  const made = await other.ask('POST', '/tokens', { body: { name: 'x', scopes } });
  const headers = { authorization: `Bearer ${made.json().token}` };
  const url = `/v1${leave(other)}`;
  const byToken = await inject(app, { method: 'DELETE', url, headers });
  assert.equal(byToken.json().code, 'owner_required');
});

test('the error for a user who is not a member says how to add them', async () => {
  const { ask } = await person('owner');
  const url = `/projects/${ours}/members`;
  const answer = await ask('PUT', `${url}/999999`, { body: { role: 'viewer' } });
  assert.equal(answer.statusCode, 404);
  assert.ok(answer.json().detail.includes(`POST /v1${url}.`), answer.body);
});

test('the last owner of a project is not deleted', async () => {
  const [first, second] = [
    await createTestProject(db, 'first of hers'),
    await createTestProject(db, 'second of hers'),
  ];
  const roles = { [first]: 'owner', [second]: 'owner' } as const;
  const user = await createTestUser(db, { roles });
  const admin = await person('admin');
  const remove = () => admin.ask('DELETE', `/users/${user.id}`);
  const refused = await remove();
  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'last_owner']);
  for (const words of [`first of hers (${first})`, `second of hers (${second})`]) {
    assert.ok(refused.json().detail.includes(words), refused.body);
  }
  await createTestUser(db, { roles: { [first]: 'owner' } });
  assert.ok(!(await remove()).json().detail.includes('first of hers'));
  assert.equal((await admin.ask('DELETE', `/projects/${second}`)).statusCode, 200);
  assert.equal((await remove()).statusCode, 200);
});

test('of two owners who are deleted concurrently, one is kept', async () => {
  const project = await createTestProject(db, 'of two');
  const owners = await Promise.all(
    [1, 2].map(() => createTestUser(db, { roles: { [project]: 'owner' } })),
  );
  const admin = await person('admin');
  const answers = await Promise.all(owners.map(({ id }) => admin.ask('DELETE', `/users/${id}`)));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409]);
});

test('a token of an owner does not manage members', async () => {
  const { ask } = await person('owner');
  const made = await ask('POST', '/tokens', { body: { name: 'x', scopes: ['servers:write'] } });
  const headers = { authorization: `Bearer ${made.json().token}` };
  const answer = await inject(app, { url: `/v1/projects/${ours}/members`, headers });
  assert.equal(answer.json().code, 'owner_required');
});
