import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { pageParameters } from '@berth/contract/pagination';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { defaultTimeouts } from '../edge/listener.ts';
import { plainShell } from '../edge/settings.ts';
import { readPage, sendLines, sendList } from '../requests/pagination.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { numberedList } from '../testing/numbered-list.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until, untilUnchanged } from '../testing/until.ts';

const { db, close } = await createTestDatabase();
after(close);

/** More than the buffers of any connection. */
const endless = 1_000_000;
let fetched: number[] = [];

function rowsOf(bytes: number, count: number) {
  return numberedList({
    count,
    row: (id) => ({ id, text: 'x'.repeat(bytes) }),
    fetched: (asked) => void fetched.push(asked),
  });
}

function probeRoutes(api: App): void {
  const config = { scope: 'servers:read' } as const;
  const querystring = Type.Object(pageParameters, { additionalProperties: false });
  const schema = { querystring, response: { 200: Type.Array(Type.Any()) } };
  for (const [path, bytes, count] of [
    ['/endless', 1000, endless],
    ['/heavy', 256 * 1024, 24],
    ['/short', 10, 40],
    ['/long', 1000, 3000],
  ] as const) {
    api.get(path, { config, schema }, (request, reply) =>
      sendList(request, reply, readPage(request), rowsOf(bytes, count), (row) => row),
    );
  }
  api.get('/lines', { config, schema }, (request, reply) =>
    sendLines(request, reply, rowsOf(1000, 3000), (row) => row),
  );
  api.get('/text', { config, schema: { response: { 200: Type.String() } } }, async (_, reply) =>
    reply.type('text/plain').send('é'.repeat(20_000_000)),
  );
}

let app: App;
let port: number;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
  fetched = [];
});

async function serve({ most = 20, behind = defaultTimeouts.behind, leastSpeed = 1 }) {
  const shell = { ...plainShell, maxStreams: most, leastSpeed };
  app = await createTestApp(db, [probeRoutes], { shell, timeouts: { ...defaultTimeouts, behind } });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
}

const headersOf = async (scopes: ['admin'] | ['servers:read'] = ['servers:read']) =>
  (await createTestToken(db, { scopes })).headers;

/** Begins to read a response, and then stops reading. */
async function readSlowly(path: string, { authorization }: { authorization: string }) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(`GET /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  const [data] = await once(socket, 'data');
  socket.pause();
  return { socket, head: String(data) };
}

const statusOf = ({ head }: { head: string }) => Number(head.slice(9, 12));

test('each token can have a tenth of the large responses', async () => {
  await serve({ most: 40 });
  const [one, other] = [await headersOf(), await headersOf()];
  for (let at = 0; at < 4; at += 1) assert.equal(statusOf(await readSlowly('/endless', one)), 200);
  const refused = await readSlowly('/endless', one);
  assert.match(refused.head, /^HTTP\/1\.1 429 .*\r\nretry-after: 2\r\n/is);
  assert.match(refused.head, /4 large answers are being sent to this token, .* with limit\./);
  // Small responses are not limited, and neither are clients that have no large one.
  assert.equal(statusOf(await readSlowly('/short', one)), 200);
  assert.equal(statusOf(await readSlowly('/endless?limit=10', one)), 200);
  assert.equal(statusOf(await readSlowly('/endless?limit=100', one)), 429);
  assert.equal(statusOf(await readSlowly('/text', one)), 429);
  assert.equal(statusOf(await readSlowly('/endless', other)), 200);
  // A closed connection frees its place.
  sockets[0]?.destroy();
  await until('a place is free', async () => statusOf(await readSlowly('/endless', one)) === 200);
});

test('a project can have a third of the large responses, and gets a 503 if all are in use', async () => {
  await serve({ most: 10 });
  const statuses: number[] = [];
  for (let at = 0; at < 4; at += 1) {
    statuses.push(statusOf(await readSlowly('/endless', await headersOf())));
  }
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  for (let at = 0; at < 7; at += 1) {
    await db
      .insertInto('projects')
      .values({ name: `place-${at}` })
      .execute();
    const { headers } = await createTestToken(db, { project: `place-${at}` });
    assert.equal(statusOf(await readSlowly('/endless', headers)), 200);
  }
  await db.insertInto('projects').values({ name: 'late' }).execute();
  const { headers } = await createTestToken(db, { project: 'late' });
  const refused = await readSlowly('/endless', headers);
  assert.match(refused.head, /^HTTP\/1\.1 503 .*\r\nretry-after: 2\r\n/is);
});

test('a response that is not read is generated only up to the buffer of its connection', async () => {
  await serve({});
  const headers = await headersOf();
  await readSlowly('/endless', headers);
  await untilUnchanged('the number of pages', () => fetched.length);
  const rows = fetched.reduce((sum, limit) => sum + limit, 0);
  // Of a gigabyte, only the buffers of the kernel and not much more are filled.
  assert.ok(rows < 50_000, `${rows} rows of 1 KB`);
});

test('large rows are read in small batches', async () => {
  await serve({});
  const headers = await headersOf();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/heavy`, { headers });
  assert.equal(((await answer.json()) as unknown[]).length, 24);
  assert.deepEqual(fetched, [20, 1, 1, 1, 1, 1]);
});

for (const path of ['/endless', '/text']) {
  test(`a client that reads ${path} below the minimum speed is disconnected, and others are served`, async () => {
    await serve({ behind: 1000, leastSpeed: 1_000_000 });
    const headers = await headersOf();
    const { socket } = await readSlowly(path, headers);
    // Nobody reads, so only the service can detect that the connection was closed.
    const count = () =>
      new Promise<number>((resolve, reject) => {
        app.server.getConnections((error, open) => (error ? reject(error) : resolve(open)));
      });
    await until('it is disconnected', count, (open) => open === 0);
    assert.ok(!socket.destroyed);
    const whole = await app.inject({ url: '/v1/long', headers });
    assert.equal(whole.json().length, 3000);
  });
}

test('a large response is complete, with its length if that is known', async () => {
  await serve({});
  const headers = await headersOf();
  const url = `http://127.0.0.1:${port}/v1`;
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
  const all = Array.from({ length: 3000 }, (_, at) => at + 1);
  const list = await fetch(`${url}/long`, { headers });
  assert.deepEqual(ids((await list.json()) as { id: number }[]), all);
  const lines = (await (await fetch(`${url}/lines`, { headers })).text()).trim().split('\n');
  assert.deepEqual(ids(lines.map((line) => JSON.parse(line))), all);
  const page = await fetch(`${url}/long?limit=1000`, { headers });
  assert.deepEqual(ids((await page.json()) as { id: number }[]), all.slice(0, 1000));
  const small = await fetch(`${url}/long?limit=10`, { headers });
  assert.ok(Number(small.headers.get('content-length')) > 10_000);
  const text = await fetch(`${url}/text`, { headers });
  assert.equal(text.headers.get('content-length'), '40000000');
  assert.equal((await text.text()).length, 20_000_000);
  const head = await fetch(`${url}/text`, { method: 'HEAD', headers });
  assert.equal(head.headers.get('content-length'), '40000000');
});

test('no response causes a MaxListenersExceededWarning', async () => {
  await serve({});
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  for (const path of ['/text', '/long']) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      headers: await headersOf(),
    });
    assert.ok((await answer.text()).length > 100_000);
  }
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});
