import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { recordImage } from '../images/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { imageServerFindings } from './image-servers.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

let place: Installation;
/** Where nothing listens any more. */
let closed: string;
before(async () => {
  place = await installation(db);
  await db.updateTable('locations').set({ name: 'local' }).execute();
  await db.updateTable('operating_systems').set({ enabled: false }).execute();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  closed = `https://127.0.0.1:${address.port}`;
  await new Promise((resolve) => server.close(resolve));
});

const look = () => imageServerFindings({ databaseUrl: connectionString, dataDir: '/nonexistent' });

test('an image server is reported that can not be reached, as long as an image of it is needed', async () => {
  const system = db.updateTable('operating_systems').where('id', '=', place.osId);
  const source = JSON.stringify({ server: closed, alias: 'debian/12/cloud' });
  await system.set({ source }).execute();
  assert.deepEqual(await look(), [], 'the operating system is disabled');
  await system.set({ enabled: true }).execute();
  const [finding, ...others] = await look();
  assert.deepEqual([finding?.state, others], ['note', []]);
  assert.match(finding?.what ?? '', /^image server 127\.0\.0\.1:/);
  assert.match(finding?.says ?? '', /\(ECONNREFUSED\), so creates fail with Debian 12,/);
  assert.match(finding?.wayOut ?? '', /core\.proxy_https/);
  await recordImage(db, place);
  assert.deepEqual(await look(), [], 'the image is there');
});

test('nothing is reported about a database that no service has used', async (t) => {
  const empty = await createEmptyDatabase();
  t.after(empty.close);
  const found = { databaseUrl: empty.connectionString, dataDir: '/nonexistent' };
  assert.deepEqual(await imageServerFindings(found), []);
});
