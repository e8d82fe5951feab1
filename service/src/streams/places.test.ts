import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { pino } from 'pino';
import type { App } from '../callers/app-types.ts';
import { plainShell } from '../edge/settings.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';

// Tests clients without a token together with clients that have one.

const { db, pool, close } = await createTestDatabase();
after(close);
const most = 10;
const sockets: Socket[] = [];
const lines: string[] = [];
let app: App;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
  lines.length = 0;
});

/** Routes with more content than a connection buffers: one that needs no token, and one that does. */
function largeRoutes(api: App): void {
  const text = 'x'.repeat(20_000_000);
  for (const [path, scope] of [
    ['/open', 'public'],
    ['/own', 'servers:read'],
  ] as const) {
    api.get(path, { config: { scope } }, async (_request, reply) =>
      reply.header('ETag', '"large"').header('Content-Encoding', 'identity').send(text),
    );
  }
}

async function serve() {
  const shell = { ...plainShell, maxStreams: most, trustedProxies: ['127.0.0.1/32'] };
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: false });
  app = await createTestApp(db, [largeRoutes], { shell, log, metrics });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as AddressInfo).port, metrics };
}

/** Begins to read a response, and then stops reading. Returns the head of the response. */
async function readSlowly(port: number, path: string, headers: Record<string, string>) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  sockets.push(socket);
  const all = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`);
  const [data] = await once(socket, 'data');
  socket.pause();
  return String(data);
}

const from = (at: number) => ({ 'x-forwarded-for': `192.0.2.${at}` });
const statusOf = (head: string) => Number(head.slice(9, 12));

test('anonymous clients share a fifth of the large responses, from all addresses', async () => {
  const { port, metrics } = await serve();
  const statuses: number[] = [];
  for (let at = 1; at <= 5; at += 1) {
    statuses.push(statusOf(await readSlowly(port, '/v1/open', from(at))));
  }
  assert.deepEqual(statuses, [200, 200, 503, 503, 503]);
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  assert.equal(statusOf(await readSlowly(port, '/v1/own', { ...from(9), ...headers })), 200);
  const told = await metrics.text('text', { ofDatabase: false });
  assert.match(told, /berth_http_large_answers_refused_total\{share="anonymous"\} 3/);
});

test('a refusal at the maximum is not logged as an error, and has no headers of the response', async () => {
  const { port } = await serve();
  await readSlowly(port, '/v1/open', from(1));
  await readSlowly(port, '/v1/open', from(2));
  const refused = await readSlowly(port, '/v1/open', from(3));
  assert.equal(statusOf(refused), 503);
  assert.match(refused, /\r\nretry-after: 2\r\n/i);
  assert.doesNotMatch(refused, /etag|content-encoding/i);
  const logged = lines.map((line) => JSON.parse(line));
  assert.ok(logged.some(({ msg }) => msg === 'A request was refused temporarily.'));
  assert.deepEqual(
    logged.filter(({ level }) => level >= 40),
    [],
  );
});

for (const path of ['/openapi.json', '/docs/js/scalar.js']) {
  test(`${path} is shared by all clients, and does not count as a large response`, async () => {
    const { port } = await serve();
    const encoding = { 'accept-encoding': 'identity' };
    for (let at = 1; at <= 2 * most; at += 1) {
      const head = await readSlowly(port, path, { ...from(at), ...encoding });
      assert.equal(statusOf(head), 200, head);
    }
    const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
    assert.equal(statusOf(await readSlowly(port, '/v1/own', { ...from(99), ...headers })), 200);
  });
}
