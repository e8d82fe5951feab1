import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { selfSigned, temporaryDirectory } from '../incus/test-server.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { plainShell } from './settings.ts';
import { openTls, type Tls } from './tls.ts';

const { db, pool, close } = await createTestDatabase();
after(close);

const get = (path: string) => `GET /v1/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const body =
  'POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
/** Nine tenths of the maximum; an address can have ten. */
const maxConnections = 100;
const full = 90;
/** The number of an address that is trusted. */
const proxy = 5;
const local = (address: number) => `127.0.0.${address}`;

let app: App;
let metrics: Metrics;
let port: number;
/** Lets the requests to `/held` end. */
let release: () => void;
let held = 0;
const sockets = new Set<Socket>();
afterEach(async () => {
  release();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await app.close();
});

async function serve(tls?: Tls): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  held = 0;
  function probeRoutes(api: App): void {
    const read = {
      config: { scope: 'public' },
      schema: { response: { 200: Type.Any() } },
    } as const;
    api.get('/open', read, async () => ({}));
    api.get('/held', read, async () => {
      held += 1;
      await promise;
      return {};
    });
    api.post('/read', read, (r) => changesNothing(r, Promise.resolve({})));
  }
  const shell = { ...plainShell, maxConnections, trustedProxies: [`${local(proxy)}/32`] };
  metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: false });
  app = await createTestApp(db, [probeRoutes], { shell, tls, metrics });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
}

/** Opens a connection from the address with this number. `text` is what it has received. */
function openFrom(address: number, bytes = '') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: local(address) });
  return listenTo(socket, bytes);
}

function listenTo(socket: Socket, bytes: string) {
  sockets.add(socket);
  const client = { socket, text: '', isClosed: false };
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    client.text += data;
  });
  socket.on('close', () => {
    client.isClosed = true;
  });
  if (bytes) socket.write(bytes);
  return client;
}

async function openCount(): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

async function untilOpen(count: number): Promise<void> {
  await until(`${count} connections are open`, openCount, (open) => open === count);
}

/** The status of the response; 0 if the connection was closed without one. */
async function ask(address: number, path = 'open'): Promise<number> {
  const client = openFrom(address, get(path));
  const isOver = () => client.isClosed || client.text !== '';
  await until('there is a response, or the connection is closed', isOver);
  client.socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(client.text)?.[1] ?? 0);
}

/** Opens `each` connections from each address, in this order. */
async function fill(addresses: number[], each: number, bytes = '') {
  const clients = [];
  for (const address of addresses) {
    for (let count = 0; count < each; count += 1) {
      const client = openFrom(address, bytes);
      await once(client.socket, 'connect');
      clients.push(client);
    }
  }
  return clients;
}

/** The indexes of the closed connections in a list. */
function closed(clients: ({ isClosed: boolean } | undefined)[]): number[] {
  return clients.flatMap((client, at) => (client?.isClosed ? [at] : []));
}

/** The number of closed connections by reason. */
async function closings(): Promise<Record<string, number>> {
  const text = await metrics.text('text', { ofDatabase: false });
  const lines = text.matchAll(/^berth_http_connections_closed_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, reason, count]) => [reason, Number(count)]));
}

const ten = Array.from({ length: 10 }, (_, at) => at + 10);
const nine = ten.slice(1);

test('ten addresses that open as many connections as they can, repeatedly, lock nobody out', async () => {
  await serve();
  function attack(address: number): void {
    const { socket } = openFrom(address);
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) attack(address);
    });
  }
  let isOver = false;
  for (const address of ten) for (let count = 0; count < 10; count += 1) attack(address);
  await until('nine tenths are in use', openCount, (open) => open >= full);
  const statuses = new Set<number>();
  for (let time = 0; time < 20; time += 1) statuses.add(await ask(2));
  isOver = true;
  assert.deepEqual(statuses, new Set([200]));
});

test('the longest idle connection of the largest network is closed, and never a busy one', async () => {
  await serve();
  const few = await fill([3], 1);
  const waits = await fill([10], 1, get('held'));
  const [sends] = await fill([10], 1, body);
  const [used] = await fill([10], 1);
  const silent = await fill([10], 7);
  await fill(nine.slice(0, 8), 9);
  await fill([4], 7);
  await untilOpen(full);
  used?.socket.write(get('open'));
  await until('it was answered', () => used?.text);
  await until('one waits', () => held === 1);
  assert.equal(await ask(2), 200);
  const others = [...few, ...waits, sends, ...silent.slice(1), used];
  await until('one gave way', () => silent[0]?.isClosed);
  sends?.socket.write('{"a": 12}');
  await until('it is answered', () => sends?.text);
  release();
  await until('it is answered', () => waits[0]?.text);
  assert.deepEqual(closed(others), []);
});

test('a network does not replace connections of one that has as many', async () => {
  await serve();
  const clients = await fill(ten, 9);
  await untilOpen(full);
  assert.equal(await ask(18), 0);
  assert.deepEqual(closed(clients), []);
  assert.deepEqual(await closings(), { address: 0, full: 1, idle: 0 });
});

test('if all connections are busy, some places are reserved for addresses with few', async () => {
  await serve();
  await fill(nine, 10, get('held'));
  await until('all wait', () => held === full);
  const others = await fill([2], 8, get('held'));
  await until('these requests wait as well', () => held === full + others.length);
  assert.equal(await ask(2), 0);
  assert.equal(await ask(3), 200);
  assert.deepEqual(await closings(), { address: 0, full: 1, idle: 0 });
});

test('a proxy can have all connections, and none of them is closed', async () => {
  await serve();
  const clients = await fill([proxy], full);
  await untilOpen(full);
  const kept = await openFrom(proxy, get('open'));
  await until('it is answered', () => kept.text);
  assert.match(kept.text, /^keep-alive: timeout=75\r$/im);
  // In the last tenth, an address can have fewer connections, and nobody can exceed the total.
  assert.equal(await ask(2), 200);
  await untilOpen(full + 1);
  const rest = await fill([proxy], maxConnections - full - 1);
  await untilOpen(maxConnections);
  assert.deepEqual([await ask(2), await ask(proxy)], [0, 0]);
  assert.deepEqual(closed([...clients, ...rest, kept]), []);
  assert.deepEqual(await closings(), { address: 0, full: 2, idle: 0 });
});

test('a connection by a proxy replaces an idle one', async () => {
  await serve();
  const silent = await fill(nine, 10);
  await untilOpen(full);
  assert.equal(await ask(proxy), 200);
  await until('one gave way', () => silent.some((client) => client.isClosed));
  assert.deepEqual(await closings(), { address: 0, full: 0, idle: 1 });
});

test('the keep-alive timeout decreases as connections run out', async () => {
  await serve();
  const kept = async () => {
    const client = openFrom(2, get('open'));
    const [, seconds] = await until('there is an answer', () =>
      /^keep-alive: timeout=(\d+)/im.exec(client.text),
    );
    client.socket.destroy();
    return Number(seconds);
  };
  assert.equal(await kept(), 75);
  await fill(nine.slice(0, 6), 10);
  await untilOpen(60);
  const fewer = await kept();
  assert.ok(fewer > 5 && fewer < 75, `${fewer} s`);
  await fill(nine.slice(6), 9);
  await untilOpen(87);
  assert.equal(await kept(), 5);
});

test('a busy connection over TLS is not closed either', async (t) => {
  const { file, remove } = temporaryDirectory();
  t.after(remove);
  selfSigned(file('tls'));
  const files = { cert: file('tls.crt'), key: file('tls.key') };
  const tls = await openTls(files, pino({ enabled: false }));
  t.after(() => tls.stop());
  await serve(tls);
  const begin = (bytes: string) =>
    listenTo(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }), bytes);
  const waits = begin(get('held'));
  await until('one waits', () => held === 1);
  const used = begin(get('open'));
  await until('it is answered', () => used.text);
  const silent = await fill([1], 8);
  const crowd = await fill(nine.slice(0, 8), 10);
  await untilOpen(full);
  const next = await fill([2], 2);
  await until('a connection that was used before was closed', () => used.isClosed);
  await until('a connection that never had a request was closed', () => crowd[0]?.isClosed);
  assert.deepEqual(closed([waits, ...silent, ...crowd.slice(1), ...next]), []);
  release();
  await until('it is answered', () => waits.text);
});
