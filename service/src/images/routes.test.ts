import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { serverCreationRoutes } from '../servers/creation/routes.ts';
import { createTestToken } from '../testing/app.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { setImage } from './queries.ts';
import { imageRoutes } from './routes.ts';

const routes = [imageRoutes, serverCreationRoutes];
const { db, ask, place, close } = await createWholeApp({ routes });
after(close);
const { headers } = await createTestToken(db, { scopes: ['admin'] });
const path = `/operating-systems/${place.osId}/images`;

/** Another location, without an engine. */
async function addLocation(name: string): Promise<number> {
  const bounds = { max_cpu: 4, max_ram_mb: 1024, max_disk_gb: 100 };
  const engine = JSON.stringify({ socket_path: '/nowhere' });
  const within = { engine, incus_project: 'p', storage_pool: 'p', network: 'n' };
  const values = { name, description: 'Elsewhere', ...within, ...bounds };
  const query = db.insertInto('locations').values(values).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

test('an import is followed at the path that its response names', async () => {
  const elsewhere = await addLocation('elsewhere');
  const request = (location: number | string, more = {}) =>
    ask('POST', path, { body: { location_id: location }, ...headers, ...more });
  await request(elsewhere);
  for (const [prefix, key] of [
    ['/v1', 'one'],
    ['/api/v1', 'two'],
  ]) {
    const accepted = await request('test', { prefix, 'idempotency-key': key });
    assert.equal(accepted.statusCode, 202, accepted.body);
    const { location } = accepted.headers;
    assert.equal(location, `${prefix}${path}?location_id=${place.locationId}`);
    const again = await request('test', { prefix, 'idempotency-key': key });
    assert.equal(again.headers.location, location);
  }
  const followed = async () =>
    (await ask('GET', `${path}?location_id=${place.locationId}`, headers)).json();
  const [queued, ...others] = await followed();
  assert.deepEqual(others, []);
  assert.deepEqual([queued.location_id, queued.status], [place.locationId, 'wanted']);
  const image = { osId: place.osId, locationId: place.locationId };
  await setImage(db, image, {
    status: 'importing',
    progress: 40,
    message: 'downloading the image',
  });
  assert.equal((await followed())[0].progress, 40);
});

test('the images of several locations are listed by id or name, and of none that is unknown', async () => {
  const locationsOf = async (query: string) =>
    (await ask('GET', `${path}${query}`, headers))
      .json()
      .map((image: { location_id: number }) => image.location_id);
  const [first, second] = await locationsOf('');
  assert.equal(first, place.locationId);
  assert.deepEqual(await locationsOf('?location_id=elsewhere'), [second]);
  assert.deepEqual(await locationsOf(`?location_id=test,${second}`), [first, second]);
  const refused = await ask('GET', `${path}?location_id=nowhere`, headers);
  assert.equal(refused.statusCode, 422);
});

test('an image that would come from a server that is not allowed is refused, unless it is there', async () => {
  const source = JSON.stringify({ server: 'https://images.example', alias: 'debian/12/cloud' });
  const os = db.updateTable('operating_systems').where('id', '=', place.osId);
  const { source: before } = await db
    .selectFrom('operating_systems')
    .select('source')
    .where('id', '=', place.osId)
    .executeTakeFirstOrThrow();
  await os.set({ source }).execute();
  const image = { osId: place.osId, locationId: place.locationId };
  const asks = [
    () => ask('POST', path, { body: { location_id: place.locationId }, ...headers }),
    () => ask('POST', '/servers/dry-run', { body: serverBody(place), ...headers }),
    () => ask('POST', '/servers', { body: serverBody(place), ...headers }),
  ];
  for (const request of asks) {
    await setImage(db, image, { status: 'failed', message: 'It was not imported.' });
    const refused = await request();
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'image_server_not_allowed']);
    assert.match(
      refused.json().detail,
      /^https:\/\/images\.example is not among the image servers/,
    );
    await setImage(db, image, { status: 'ready', message: 'It is there.' });
    const accepted = await request();
    assert.ok(accepted.statusCode < 300, accepted.body);
  }
  await os.set({ source: JSON.stringify(before) }).execute();
});
