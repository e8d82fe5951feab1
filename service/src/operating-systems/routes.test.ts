import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { operatingSystemRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let headers: Record<string, string>;

const system = (slug: string, more = {}) => ({
  slug,
  name: slug.toUpperCase(),
  version: '12',
  type: 'container' as const,
  architecture: 'x86_64',
  source: JSON.stringify({ server: 'https://images.example', alias: slug }),
  min_ram_mb: 256,
  min_disk_gb: 2,
  ...more,
});

before(async () => {
  app = await createTestApp(db, [operatingSystemRoutes]);
  headers = (await createTestToken(db, { scopes: ['servers:read'] })).headers;
  await db
    .insertInto('operating_systems')
    .values([
      system('a'),
      system('b', { type: 'virtual-machine', enabled: false }),
      system('c', { architecture: 'aarch64' }),
    ])
    .execute();
});
after(() => app.close());

const ask = (path: string) => inject(app, { url: `/v1/operating-systems${path}`, headers });
const slugsOf = (answer: { json(): { slug: string }[] }) => answer.json().map(({ slug }) => slug);

test('operating systems are listed by id, in pages on request', async () => {
  assert.deepEqual(slugsOf(await ask('')), ['a', 'b', 'c']);
  const first = await ask('?limit=2&architecture=x86_64');
  assert.deepEqual(slugsOf(first), ['a', 'b']);
  assert.equal(first.headers.link, undefined);
});

test('operating systems can be filtered', async () => {
  assert.deepEqual(slugsOf(await ask('?type=virtual-machine')), ['b']);
  assert.deepEqual(slugsOf(await ask('?enabled=true')), ['a', 'c']);
  assert.deepEqual(slugsOf(await ask('?architecture=aarch64&enabled=true')), ['c']);
  for (const query of ['?type=vm', '?architecture=%00', '?architecture=', '?slug=a']) {
    assert.equal((await ask(query)).statusCode, 422, query);
  }
});

test('an operating system is shown by its id, without the source of its image', async () => {
  assert.deepEqual((await ask('/1')).json(), {
    id: 1,
    slug: 'a',
    name: 'A',
    version: '12',
    type: 'container',
    architecture: 'x86_64',
    minimum: { ram: 256, disk: 2 },
    enabled: true,
  });
});

test('an unknown operating system is a 404', async () => {
  for (const id of ['4', '0', '01', 'debian']) {
    const answer = await ask(`/${id}`);
    assert.equal(answer.statusCode, 404, id);
    assert.equal(answer.json().code, 'operating_system_not_found');
  }
});
