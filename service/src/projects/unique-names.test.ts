import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { markServerDeleted } from '../servers/worker-queries.ts';
import { createTestToken } from '../testing/app.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { db, place, ask, close } = await createWholeApp();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

async function newProject(more: object = {}) {
  const name = `project-${Math.random().toString(36).slice(2)}`;
  const made = await ask('POST', '/projects', { body: { name, ...more }, ...admin });
  assert.equal(made.statusCode, 201, made.body);
  const { id, unique_names: isUnique } = made.json();
  const inIt = { ...admin, 'berth-project': name };
  return {
    id: id as number,
    isUnique: isUnique as boolean,
    create: (hostname: string, query = '') =>
      ask('POST', `/servers${query}`, { body: serverBody(place, { name: hostname }), ...inIt }),
    change: (unique: boolean) =>
      ask('PATCH', `/projects/${name}`, { body: { unique_names: unique }, ...admin }),
  };
}

it('a new project requires unique names by default; the first one is not changed', async () => {
  assert.equal((await newProject()).isUnique, true);
  assert.equal((await newProject({ unique_names: false })).isUnique, false);
  const first = await ask('GET', `/projects/${place.projectId}`);
  assert.equal(first.json().unique_names, false);
});

it('a second server with the same name in any case is refused', async () => {
  const { create } = await newProject();
  const first = await create('web');
  assert.equal(first.statusCode, 201, first.body);
  for (const query of ['', '?dry_run=true']) {
    const refused = await create('WEB', query);
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'name_taken']);
    assert.match(refused.json().detail, new RegExp(`server ${first.json().id} `));
  }
  assert.equal((await create('web.example')).statusCode, 201);
  await db.transaction().execute((trx) => markServerDeleted(trx, first.json().id));
  assert.equal((await create('WEB')).statusCode, 201);
});

it('of many concurrent creates with one name, one succeeds', async () => {
  const { create } = await newProject();
  const answers = await Promise.all(Array.from({ length: 8 }, () => create('same')));
  const codes = answers.map((answer) => answer.json().code ?? 'created').sort();
  assert.deepEqual(codes, ['created', ...Array(7).fill('name_taken')]);
});

it('names are unique per project, and a project may allow duplicates', async () => {
  const [one, other] = [await newProject(), await newProject({ unique_names: false })];
  assert.equal((await one.create('web')).statusCode, 201);
  for (let at = 0; at < 2; at += 1) assert.equal((await other.create('web')).statusCode, 201);
  const refused = await other.change(true);
  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'name_taken']);
  assert.match(refused.json().detail, /both called web/);
  assert.equal((await one.change(false)).json().unique_names, false);
  assert.equal((await one.create('Web')).statusCode, 201);
});

it('a project can require unique names if its names are unique', async () => {
  const { create, change } = await newProject({ unique_names: false });
  await create('web');
  const second = (await create('web')).json().id;
  assert.equal((await change(true)).statusCode, 409);
  await db.transaction().execute((trx) => markServerDeleted(trx, second));
  assert.equal((await change(true)).json().unique_names, true);
  assert.equal((await create('web')).json().code, 'name_taken');
});
