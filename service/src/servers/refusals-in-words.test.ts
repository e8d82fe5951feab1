import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { enterServer, serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
after(() => whole.close());
const { app, db, ask, create, place } = whole;

const detailOf = async (answer: ReturnType<typeof ask>) => (await answer).json().detail;

test('a create without room names the size that was asked for and what lacks', async () => {
  await enterServer(db, place, { hostname: 'neighbour' });
  await db.updateTable('nodes').set({ disk_gb: 5 }).execute();
  await db.updateTable('locations').set({ overcommit_disk: 1 }).execute();
  const detail = await detailOf(create({ cpu: 1, ram: 512, disk: 5 }));
  await db.updateTable('nodes').set({ disk_gb: 1000 }).execute();
  const wanted = 'No node has room for 1 core, 512 MiB, 5 GiB: 1 of 1 nodes lacks disk. ';
  assert.ok(detail.startsWith(wanted), detail);
});

test('a create beyond the quota says limit, use and request', async () => {
  await enterServer(db, place);
  const { used } = await db
    .updateTable('projects')
    .set({ max_servers: 2 })
    .returning('used_servers as used')
    .executeTakeFirstOrThrow();
  assert.equal(used, 2);
  const detail = await detailOf(create());
  await db.updateTable('projects').set({ max_servers: null }).execute();
  assert.match(detail, /: limit 2 servers, used 2, requested 1\. /);
});

test('an action that the state forbids names the state', async () => {
  const id = await enterServer(db, place, { status: 'error' });
  const wanted = 'Only a stopped server can be started; this server is in the error state.';
  assert.equal(await detailOf(ask('POST', `/servers/${id}/start`)), wanted);
});

test('bad values are refused in short sentences', async () => {
  const password = 'Must be 8–128 characters, at most 511 UTF-8 bytes, without control characters.';
  assert.equal(await detailOf(create({ password: 'short' })), `/password: ${password}`);
  assert.equal(await detailOf(create({ colour: 'red' })), '/colour: Unknown field.');
  const parameter = '/colour: Unknown query parameter.';
  assert.equal(await detailOf(ask('GET', '/servers?colour=red')), parameter);
  const list = ask('POST', '/servers', { body: [serverBody(place)] });
  assert.equal(await detailOf(list), 'The body must be a JSON object.');
});

test('what needs a user says so to a token', async () => {
  const detail = await detailOf(ask('GET', '/session'));
  assert.equal(detail, 'This request requires a session, not a token.');
});

test('an image that was asked for is queued', async () => {
  const path = `/operating-systems/${place.osId}/images`;
  const { headers } = await createTestToken(db);
  const body = { location_id: place.locationId };
  const { message } = (await ask('POST', path, { body, ...headers })).json();
  assert.equal(message, 'Queued.');
});

test('a rebuild is called so in the document', async () => {
  const document = (await app.inject('/openapi.json')).json();
  const { summary } = document.paths['/v1/servers/{id}/rebuild'].post;
  assert.equal(summary, 'Rebuild a server whose node is lost');
});
