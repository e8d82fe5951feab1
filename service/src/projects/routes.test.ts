import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { patiently } from '../testing/patiently.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

let made = 0;

/** A new project, and a function that sends requests in it. */
async function newProject(quota: Record<string, number | null> = {}) {
  made += 1;
  const body = { name: `project ${made}`, quota };
  const { id } = (await whole.ask('POST', '/projects', { body, ...admin })).json();
  const inIt = { ...admin, 'berth-project': String(id) };
  let servers = 0;
  const create = async (more = {}) => {
    servers += 1;
    const body = serverBody(place, { name: `server-${servers}`, ...more });
    return await whole.ask('POST', '/servers', { body, ...inIt });
  };
  return {
    id: id as number,
    create,
    remove: (server: number) => whole.ask('DELETE', `/servers/${server}`, inIt),
    quota: async () => (await whole.ask('GET', `/projects/${id}/quota`, admin)).json(),
    change: (changes: object) => whole.ask('PATCH', `/projects/${id}`, { body: changes, ...admin }),
    delete: () => whole.ask('DELETE', `/projects/${id}`, admin),
  };
}

describe('a project', () => {
  it('is created, shown, changed and deleted', async () => {
    const body = { name: 'web', description: 'Web', quota: { servers: 3, ram: null } };
    const created = await whole.ask('POST', '/projects', { body, ...admin });
    assert.equal(created.statusCode, 201);
    const { id, quota } = created.json();
    assert.equal(created.headers.location, `/v1/projects/${id}`);
    const others = { cpu: null, ram: null, disk: null, addresses: null };
    assert.deepEqual(quota, { servers: 3, ...others, outputs: 16 });
    const path = `/projects/${id}`;
    const change = { body: { quota: { cpu: 2 } }, ...admin };
    const changed = (await whole.ask('PATCH', path, change)).json();
    assert.deepEqual(changed.quota, { ...quota, cpu: 2 });
    assert.equal(changed.description, 'Web');
    assert.deepEqual((await whole.ask('GET', path, admin)).json(), changed);
    assert.equal((await whole.ask('DELETE', path, admin)).statusCode, 200);
    assert.equal((await whole.ask('GET', path, admin)).json().code, 'project_not_found');
  });

  it('is listed after its deletion only for administrators that ask for it', async () => {
    const { id } = (
      await whole.ask('POST', '/projects', { body: { name: 'billed' }, ...admin })
    ).json();
    const deleted = await whole.ask('DELETE', `/projects/${id}`, admin);
    assert.equal(deleted.statusCode, 200);
    assert.match(deleted.json().deleted_at ?? '', /^\d{4}-.*Z$/);
    const listed = async (query: string) => {
      const rows: { id: number; deleted_at: string | null }[] = (
        await whole.ask('GET', `/projects${query}`, admin)
      ).json();
      return rows.find((row) => row.id === id);
    };
    assert.equal(await listed(''), undefined);
    assert.equal(await listed('?include_deleted=false'), undefined);
    assert.match((await listed('?include_deleted=true'))?.deleted_at ?? '', /^\d{4}-.*Z$/);
    const statement = await whole.ask('GET', `/projects/${id}/statement`, admin);
    assert.equal(statement.statusCode, 200);
    const refused = await whole.ask('GET', '/projects?include_deleted=true');
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'scope_missing']);
  });

  it('has a unique name until it is deleted', async () => {
    const post = (name: string) => whole.ask('POST', '/projects', { body: { name }, ...admin });
    const first = await post('Blue');
    const again = await post('blue');
    assert.deepEqual([again.statusCode, again.json().code], [409, 'name_taken']);
    assert.equal((await post('Green')).statusCode, 201);
    const { id } = first.json();
    const renamed = await whole.ask('PATCH', `/projects/${id}`, {
      body: { name: 'GREEN' },
      ...admin,
    });
    assert.equal(renamed.json().code, 'name_taken');
    await whole.ask('DELETE', `/projects/${id}`, admin);
    assert.equal((await post('blue')).statusCode, 201);
  });

  it('can not have a name in the form of an id or a UUID, but existing names can be kept', async () => {
    const { id } = await newProject();
    for (const name of ['007', '3f2504e0-4f89-41d3-9a0c-0305e82c3301']) {
      for (const [method, path] of [
        ['POST', '/projects'],
        ['PATCH', `/projects/${id}`],
      ] as const) {
        const refused = await whole.ask(method, path, { body: { name }, ...admin });
        assert.deepEqual(refused.json().errors?.[0]?.pointer, '/name');
        assert.match(refused.json().detail, /only of digits.*form of a UUID.*read as IDs/);
      }
    }
    await db.updateTable('projects').set({ name: '2024' }).where('id', '=', id).execute();
    const body = { description: 'From before' };
    const changed = await whole.ask('PATCH', `/projects/${id}`, { body, ...admin });
    assert.deepEqual([changed.statusCode, changed.json().name], [200, '2024']);
  });

  it('is not deleted while it has servers', async () => {
    const project = await newProject();
    assert.equal((await project.create()).statusCode, 201);
    const one = await project.delete();
    assert.deepEqual([one.statusCode, one.json().code], [409, 'project_in_use']);
    assert.match(one.json().detail, /has 1 server\. Delete it first/);
    assert.equal((await project.create()).statusCode, 201);
    assert.match((await project.delete()).json().detail, /has 2 servers\. Delete them first/);
  });

  it('with the first admin token is not deleted, from any project', async () => {
    const { id } = await newProject();
    const administrator = await createTestUser(db, { isAdmin: true });
    const person = await signInAs(whole.app, administrator.credentials);
    const url = `/projects/${place.projectId}`;
    for (const refused of [
      await whole.ask('DELETE', url, admin),
      await whole.ask('DELETE', url, { ...admin, 'berth-project': String(id) }),
      await person.ask('DELETE', url, { 'berth-project': String(id) }),
    ]) {
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'project_in_use']);
      assert.match(refused.json().detail, /cannot be deleted/);
    }
    assert.equal((await whole.ask('GET', '/whoami', admin)).statusCode, 200);
  });

  it('can not be deleted with a token that would be revoked with it', async () => {
    const { id, delete: remove } = await newProject();
    const body = { name: 'its own', scopes: ['admin'] };
    const inIt = { 'berth-project': String(id) };
    const made = await whole.ask('POST', '/tokens', { body, ...admin, ...inIt });
    const own = { authorization: `Bearer ${made.json().token}` };
    const elsewhere = { 'berth-project': String(place.projectId) };
    const child = await whole.ask('POST', '/tokens', { body, ...own, ...elsewhere });
    for (const headers of [own, { authorization: `Bearer ${child.json().token}` }]) {
      const refused = await whole.ask('DELETE', `/projects/${id}`, { ...headers, ...elsewhere });
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'project_in_use']);
      assert.match(refused.json().detail, /would revoke your token/);
    }
    assert.equal((await remove()).statusCode, 200);
  });

  it('revokes its tokens when it is deleted', async () => {
    const { id, delete: remove } = await newProject();
    const body = { name: 'its own', scopes: ['servers:read'] };
    const inIt = { ...admin, 'berth-project': String(id) };
    const { token } = (await whole.ask('POST', '/tokens', { body, ...inIt })).json();
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await whole.ask('GET', '/whoami', headers)).json().project.id, id);
    await remove();
    assert.equal((await whole.ask('GET', '/whoami', headers)).json().code, 'token_invalid');
  });

  it('is visible to its own tokens and administrators only', async () => {
    const { id } = await newProject();
    const ids = async (headers: object) =>
      (await whole.ask('GET', '/projects', { ...headers })).json().map((p: { id: number }) => p.id);
    assert.deepEqual(await ids({}), [place.projectId]);
    assert.ok((await ids(admin)).includes(id));
  });
});

describe('a quota', () => {
  it('refuses what exceeds it, with the usage', async () => {
    const asked = { cpu: 2, ram: 512, disk: 4 };
    for (const [quota, limit, takes] of [
      ['servers', 1, 1],
      ['cpu', 3, 2],
      ['ram', 1000, 512],
      ['disk', 7, 4],
      ['addresses', 3, 2],
    ] as const) {
      const project = await newProject({ [quota]: limit });
      assert.equal((await project.create(asked)).statusCode, 201);
      const refused = await project.create(asked);
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'quota_exceeded']);
      const { quota: name, limit: most, used, asked: more } = refused.json();
      assert.deepEqual([name, most, used, more], [quota, limit, takes, takes]);
      assert.deepEqual((await project.quota())[quota], { limit, used: takes });
    }
  });

  it('is never exceeded by 100 concurrent creates', async () => {
    const project = await newProject({ servers: 7, cpu: 100 });
    const crowd = Array.from({ length: 100 }, () => patiently(() => project.create()));
    const answers = await Promise.all(crowd);
    const codes = answers.map(({ statusCode, body }) =>
      statusCode === 201 ? 'created' : JSON.parse(body).code,
    );
    assert.equal(codes.filter((code) => code === 'created').length, 7);
    assert.equal(codes.filter((code) => code === 'quota_exceeded').length, 93);
    assert.equal((await project.quota()).servers.used, 7);
  });

  it('counts a server until it is gone', async () => {
    const project = await newProject({ servers: 1 });
    const { id } = (await project.create()).json();
    await project.remove(id);
    assert.equal((await project.create()).json().code, 'quota_exceeded');
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom('addresses').where('server_id', '=', id).execute();
      const deleted = { deleted_at: new Date() };
      await trx.updateTable('servers').set(deleted).where('id', '=', id).execute();
    });
    const { servers, cpu, ram, disk, addresses } = await project.quota();
    const used = [servers, cpu, ram, disk, addresses].map((one) => one.used);
    assert.deepEqual(used, [0, 0, 0, 0, 0]);
    assert.equal((await project.create()).statusCode, 201);
  });

  it('that is lowered affects only new requests', async () => {
    const project = await newProject();
    await project.create();
    await project.create();
    assert.equal((await project.change({ quota: { servers: 1 } })).statusCode, 200);
    assert.deepEqual((await project.quota()).servers, { limit: 1, used: 2 });
    assert.equal((await project.create()).json().code, 'quota_exceeded');
    assert.equal((await project.change({ quota: { servers: null } })).statusCode, 200);
    assert.equal((await project.create()).statusCode, 201);
  });

  it('is checked by a dry run', async () => {
    const { id, create } = await newProject({ servers: 0 });
    assert.equal((await create()).statusCode, 403);
    const inIt = { ...admin, 'berth-project': String(id) };
    const dry = await whole.ask('POST', '/servers/dry-run', {
      body: serverBody(place),
      ...inIt,
    });
    assert.deepEqual([dry.statusCode, dry.json().quota], [403, 'servers']);
  });
});
