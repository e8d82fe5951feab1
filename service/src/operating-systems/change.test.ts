import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const fedora = {
  slug: 'fedora-43',
  name: 'Fedora',
  version: '43',
  type: 'container',
  source: { server: 'https://images.linuxcontainers.org', alias: 'fedora/43/cloud' },
  minimum: { ram: 512, disk: 3 },
};
const add = (more: object = {}) =>
  whole.ask('POST', '/operating-systems', { body: { ...fedora, ...more }, ...admin });
const change = (id: number, body: object) =>
  whole.ask('PATCH', `/operating-systems/${id}`, { body, ...admin });

it('an operating system is added, and servers can be created with it', async () => {
  const added = await add();
  assert.equal(added.statusCode, 201, added.body);
  const { id, slug, minimum, enabled } = added.json();
  assert.deepEqual([slug, minimum, enabled], ['fedora-43', { ram: 512, disk: 3 }, true]);
  assert.equal((await whole.create({ os_id: id, ram: 512, disk: 3 })).statusCode, 201);
  assert.equal((await whole.create({ os_id: id })).json().errors[0].pointer, '/ram');
  const again = await add();
  assert.deepEqual([again.statusCode, again.json().code], [409, 'name_taken']);
});

it('an operating system is disabled, and its minimum is changed', async () => {
  const hidden = await change(place.osId, { enabled: false });
  assert.equal(hidden.json().enabled, false);
  assert.equal((await whole.create()).json().errors[0].pointer, '/os_id');
  const raised = await change(place.osId, { enabled: true, minimum: { ram: 1024, disk: 2 } });
  assert.deepEqual(raised.json().minimum, { ram: 1024, disk: 2 });
  assert.equal((await whole.create()).json().errors[0].pointer, '/ram');
  assert.equal((await change(999, {})).json().code, 'operating_system_not_found');
});

it('an image server that is not on the list is refused, with the name of the setting', async () => {
  for (const server of ['https://images.example', 'https://images.linuxcontainers.org.example']) {
    const refused = await add({ slug: 'other', source: { server, alias: 'x' } });
    const [{ pointer, detail }] = refused.json().errors;
    assert.deepEqual([refused.statusCode, pointer], [422, '/source/server']);
    assert.match(detail, /BERTH_IMAGE_SERVERS/);
  }
  const alike = 'https://images.linuxcontainers.org:443/';
  const added = await add({ slug: 'alike', source: { server: alike, alias: 'x' } });
  assert.equal(added.statusCode, 201, added.body);
});

it('an operating system can not be enabled if its image server is no longer on the list', async () => {
  const { id } = (await add({ slug: 'delisted' })).json();
  await change(id, { enabled: false });
  const source = JSON.stringify({ server: 'https://images.example', alias: 'x' });
  await db.updateTable('operating_systems').set({ source }).where('id', '=', id).execute();
  const refused = await change(id, { enabled: true });
  assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, '/enabled']);
  assert.equal((await change(id, { minimum: { ram: 1, disk: 1 } })).statusCode, 200);
});

it('a slug can have the form of neither an id nor a UUID', async () => {
  for (const slug of ['42', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '']) {
    assert.equal((await add({ slug })).json().errors[0].pointer, '/slug', slug);
  }
});

it('virtual machines are refused until Berth supports them, even if the catalogue has one', async () => {
  const refused = await add({ slug: 'machine', type: 'virtual-machine' });
  assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, '/type']);
  assert.match(refused.json().errors[0].detail, /Berth cannot create virtual machines yet/);
  const { id } = (await add({ slug: 'of-old' })).json();
  const row = db.updateTable('operating_systems').where('id', '=', id);
  await row.set({ type: 'virtual-machine' }).execute();
  const created = await whole.create({ os_id: id, ram: 512, disk: 3 });
  assert.deepEqual([created.statusCode, created.json().errors[0].pointer], [422, '/os_id']);
  await row.set({ enabled: false }).execute();
  const enabled = await change(id, { enabled: true });
  assert.deepEqual([enabled.statusCode, enabled.json().errors[0].pointer], [422, '/enabled']);
});

it('a source that is not an image server is refused', async () => {
  for (const [source, pointer] of [
    [{ server: 'http://images.example', alias: 'x' }, '/source/server'],
    [{ server: 'https://user:pass@images.example', alias: 'x' }, '/source/server'],
    [{ server: 'file:///etc/passwd', alias: 'x' }, '/source/server'],
    [{ server: 'https://images.example', alias: '../x' }, '/source/alias'],
    [{ server: 'https://images.example' }, '/source/alias'],
  ] as const) {
    const refused = await add({ slug: 'other', source });
    assert.equal(refused.statusCode, 422);
    assert.equal(refused.json().errors[0].pointer, pointer);
  }
});
