import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ServerStatus } from '../db/schema/schema.ts';
import { createTestToken } from '../testing/app.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer, serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
after(() => whole.close());
const { app, db, ask, create, place } = whole;

const detailOf = async (answer: ReturnType<typeof ask>) => (await answer).json().detail;

test('a create without capacity names the requested size and what is lacking', async () => {
  await enterServer(db, place, { hostname: 'neighbour' });
  await db.updateTable('nodes').set({ disk_gb: 5 }).execute();
  await db.updateTable('locations').set({ overcommit_disk: 1 }).execute();
  const detail = await detailOf(create({ cpu: 1, ram: 512, disk: 5 }));
  await db.updateTable('nodes').set({ disk_gb: 1000 }).execute();
  const wanted = 'No node has room for 1 core, 512 MiB, 5 GiB: 1 of 1 nodes lacks disk. ';
  assert.ok(detail.startsWith(wanted), detail);
});

test('a create beyond the quota names the limit, the usage and the request', async () => {
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

test('an action that the status forbids names the status', async () => {
  const id = await enterServer(db, place, { status: 'error' });
  const state =
    'this server is in the error state. ' +
    `GET /v1/servers/${id} shows what it accepts now (\`allowed_actions\`).`;
  const start = await detailOf(ask('POST', `/servers/${id}/start`));
  assert.equal(start, `Only a stopped server can be started; ${state}`);
  for (const action of ['stop', 'restart', 'pause']) {
    const detail = await detailOf(ask('POST', `/servers/${id}/${action}`));
    assert.equal(detail, `Only a running server can be asked to ${action}; ${state}`);
  }
  const unpause = await detailOf(ask('POST', `/servers/${id}/unpause`));
  assert.equal(unpause, `Only a paused server can be unpaused; ${state}`);
  const page = (await app.inject('/docs/errors')).body;
  assert.doesNotMatch(page, /Stop the server first\./);
});

test('an action without effect says so, and any other error what is possible', async () => {
  const said = async (status: ServerStatus, action: string) => {
    const id = await enterServer(db, place, { status });
    const { code, detail } = (await ask('POST', `/servers/${id}/${action}`)).json();
    return [code, String(detail).replaceAll(`/${id}/`, '/ID/')];
  };
  assert.deepEqual(await said('started', 'start'), [
    'server_not_stopped',
    'The server is running already.',
  ]);
  assert.deepEqual(await said('stopped', 'stop'), [
    'server_not_running',
    'The server is stopped already.',
  ]);
  assert.deepEqual(await said('stopped', 'restart'), [
    'server_not_running',
    'The server is stopped. To start it: POST /v1/servers/ID/start.',
  ]);
  const startIt = 'The server is stopped. To start it: POST /v1/servers/ID/start.';
  assert.deepEqual(await said('stopped', 'pause'), ['server_not_running', startIt]);
  assert.deepEqual(await said('stopped', 'unpause'), ['server_not_paused', startIt]);
  assert.deepEqual(await said('paused', 'pause'), [
    'server_not_running',
    'The server is paused already.',
  ]);
  assert.deepEqual(await said('started', 'unpause'), [
    'server_not_paused',
    'The server is running already.',
  ]);
  for (const action of ['start', 'stop', 'restart']) {
    const [, detail] = await said('paused', action);
    assert.match(
      detail ?? '',
      /is paused.* POST \/v1\/servers\/ID\/unpause\. .* POST \/v1\/servers\/ID\/stop\?force=true\.$/,
    );
  }
});

test('`force` that contradicts itself is refused, and the same value twice is accepted', async () => {
  const stop = async (inQuery: boolean, inBody: boolean) => {
    const id = await enterServer(db, place, { status: 'started' });
    const body = { force: inBody };
    return await ask('POST', `/servers/${id}/stop?force=${inQuery}`, { body });
  };
  const detail = 'Contradicts `force` in the body. Send `force` once.';
  for (const inQuery of [true, false]) {
    const refused = await stop(inQuery, !inQuery);
    assert.equal(refused.json().detail, `force: ${detail}`);
    assert.deepEqual(refused.json().errors, [{ parameter: 'force', detail }]);
    assert.equal((await stop(inQuery, inQuery)).statusCode, 202);
  }
});

test('only administrators are told which project a server is in, by any reference', async () => {
  const projectId = await createTestProject(db, 'elsewhere');
  const id = await enterServer(
    db,
    { ...place, projectId },
    { hostname: 'afar', status: 'started' },
  );
  const { uuid } = await db
    .selectFrom('servers')
    .select('uuid')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
  const wanted =
    `The server ${id} is in the project elsewhere, not in the project of this request. ` +
    `Send the header Berth-Project: ${projectId}`;
  const changes = (server: number | string, headers: Record<string, string>) => [
    ask('POST', `/servers/${server}/stop`, headers),
    ask('DELETE', `/servers/${server}`, headers),
    ask('POST', `/servers/${server}/move`, { body: {}, ...headers }),
    ask('PATCH', `/servers/${server}/traffic`, { body: { allowance: 5 }, ...headers }),
  ];
  const reads = (server: number | string, headers: Record<string, string>) =>
    ['', '/status', '/usage', '/traffic'].map((path) =>
      ask('GET', `/servers/${server}${path}`, headers),
    );
  const inAnother = { ...admin, 'berth-project': String(place.projectId) };
  const told = [
    ...[id, uuid, 'AFAR'].flatMap((server) => changes(server, admin)),
    ...[id, uuid, 'afar'].flatMap((server) => changes(server, inAnother)),
    ...[id, uuid, 'afar'].flatMap((server) => reads(server, inAnother)),
    ...reads('afar', admin),
  ];
  for (const answer of told) {
    assert.equal((await answer).json().code, 'server_not_found');
    assert.equal(await detailOf(answer), wanted);
  }
  const { headers: other } = await createTestToken(db, { scopes: ['servers:write'] });
  for (const [server, how] of [
    [id, 'has the id'],
    [uuid, 'has the UUID'],
    ['afar', 'is called'],
  ] as const) {
    const answer = ask('POST', `/servers/${server}/stop`, other);
    assert.equal(await detailOf(answer), `No server ${how} ${server}.`);
  }
  for (const gone of ['4711', '007', 'nobody', '%00']) {
    const answer = ask('POST', `/servers/${gone}/stop`, admin);
    assert.match(await detailOf(answer), /^No server (has the id|is called) /);
  }
  const another = await createTestProject(db, 'another');
  const twin = await enterServer(db, { ...place, projectId: another }, { hostname: 'afar' });
  assert.equal(
    await detailOf(ask('GET', '/servers/afar', admin)),
    `Several servers are called afar, in other projects than that of this request: server ${id} in project ` +
      `${projectId} (elsewhere), server ${twin} in project ${another} (another). Name one of these projects in the ` +
      'header Berth-Project.',
  );
  const inIt = { ...admin, 'berth-project': String(projectId) };
  assert.equal((await ask('POST', `/servers/${id}/stop`, inIt)).statusCode, 202);
});

test('invalid values are refused in short sentences', async () => {
  const password = 'Must be 8–128 characters, at most 511 UTF-8 bytes, without control characters.';
  assert.equal(await detailOf(create({ password: 'short' })), `/password: ${password}`);
  assert.equal(await detailOf(create({ colour: 'red' })), '/colour: Unknown field.');
  for (const [sent, meant] of [
    ['hostname', 'name'],
    ['location', 'location_id'],
    ['passwrd', 'password'],
  ]) {
    const unknown = `/${sent}: Unknown field. Did you mean ${meant}?`;
    const mistaken = await detailOf(create({ [String(sent)]: 'x', [String(meant)]: undefined }));
    assert.ok(mistaken.includes(unknown), mistaken);
    assert.equal(await detailOf(create({ [String(sent)]: 'x' })), `/${sent}: Unknown field.`);
  }
  const named = 'name: Unknown query parameter. Did you mean hostname?';
  assert.equal(await detailOf(ask('GET', '/servers?name=web-1')), named);
  const body = { name: 'x', scopes: ['servers:read'], expires: '2100-01-01T00:00:00Z' };
  const expires = '/expires: Unknown field. Did you mean expires_at?';
  assert.equal(await detailOf(ask('POST', '/tokens', { body })), expires);
  const parameter = 'colour: Unknown query parameter.';
  assert.equal(await detailOf(ask('GET', '/servers?colour=red')), parameter);
  const detail = 'force: Must be one of true, false, 1, 0, on, off (lowercase).';
  assert.equal(await detailOf(ask('POST', '/servers/1/stop?force=TRUE')), detail);
  const twice = 'limit: Must be given only once.';
  assert.equal(await detailOf(ask('GET', '/servers?limit=1&limit=2')), twice);
  const list = ask('POST', '/servers', { body: [serverBody(place)] });
  assert.equal(await detailOf(list), 'The body must be a JSON object, not an array.');
});

test('a token gets an error for requests that need a user', async () => {
  const detail = await detailOf(ask('GET', '/session'));
  assert.equal(detail, 'This request requires a session, not a token.');
});

test('a requested image is queued', async () => {
  const path = `/operating-systems/${place.osId}/images`;
  const { headers } = await createTestToken(db);
  const body = { location_id: place.locationId };
  const { message } = (await ask('POST', path, { body, ...headers })).json();
  assert.equal(message, 'Queued.');
});

test('a rebuild has that name in the API document', async () => {
  const document = (await app.inject('/openapi.json')).json();
  const { summary } = document.paths['/v1/servers/{id}/rebuild'].post;
  assert.equal(summary, 'Rebuild a server');
});
