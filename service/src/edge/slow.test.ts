import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { open, sendRaw } from '../testing/raw.ts';
import { until } from '../testing/until.ts';
import { plainShell } from './settings.ts';

const { db, close } = await createTestDatabase();
after(close);

const patience = {
  ...{ headers: 1500, request: 3000, silence: 120_000 },
  ...{ behind: 30_000, linger: 100, checks: 200 },
};
const slow = 500;
const longestSeconds = 90;
const request = 'GET /v1/open HTTP/1.1\r\nHost: a\r\n\r\n';

function probeRoutes(api: App): void {
  const schema = { response: { 200: Type.Any() } };
  api.get('/open', { config: { scope: 'public' }, schema }, async () => ({}));
  const read = { config: { scope: 'public' }, schema } as const;
  api.post('/read', read, (r) => changesNothing(r, Promise.resolve({})));
  const config = { scope: 'servers:write' } as const;
  api.post('/shut', { config, schema }, (r) => changesNothing(r, Promise.resolve({})));
}

let app: App;
afterEach(() => app.close());

async function serve(maxConnections: number, times = patience): Promise<number> {
  const shell = { ...plainShell, maxConnections };
  app = await createTestApp(db, [probeRoutes], { shell, timeouts: times });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** The number of connections of the service. */
async function connections(): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

async function untilNone(): Promise<void> {
  await until('no connection is left', connections, (open) => open === 0, longestSeconds);
}

/** Opens a connection that reads, and never closes its half. */
async function openStubborn(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/**
 * Opens sockets that send this beginning, and then a byte from time to time. `open` returns how many are still open.
 */
async function drip(port: number, beginning: string, byte: string, begin = open) {
  const sockets = await Promise.all(
    Array.from({ length: slow }, async () => {
      const socket = await begin(port);
      socket.on('error', () => undefined).resume();
      socket.write(beginning);
      return socket;
    }),
  );
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(byte);
  }, 300);
  return {
    open: () => sockets.filter((socket: Socket) => !socket.closed).length,
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

const body = 'POST /v1/read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';
for (const [what, beginning, byte] of [
  ['headers', 'GET /v1/open HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'a'],
  ['nothing', '', ''],
  ['bodies', body, 'a'],
] as const) {
  test(`${slow} clients that send ${what} slowly are disconnected, and others are served meanwhile`, async () => {
    const port = await serve(10_000);
    const dripping = await drip(port, beginning, byte);
    try {
      const look = async () => {
        assert.equal((await sendRaw(port, request)).status, 200);
        return dripping.open();
      };
      await until('none of them is open', look, (open) => open === 0, longestSeconds);
    } finally {
      dripping.stop();
    }
  });
}

for (const [what, beginning, byte] of [
  ['headers', 'GET /v1/open HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'a'],
  ['nothing', '', ''],
  ['bodies', body, 'a'],
  ['bodies without a token', body.replace('read', 'shut'), 'a'],
] as const) {
  test(`the connections of clients that send ${what} slowly and never close are freed`, async () => {
    // These are all connections that their address can have.
    const port = await serve(slow * 10);
    const dripping = await drip(port, beginning, byte, openStubborn);
    try {
      await untilNone();
      // Their places are free a moment after their sockets are closed.
      const ask = async () => (await sendRaw(port, request)).status;
      await until('its address can open connections again', ask, (status) => status === 200);
    } finally {
      dripping.stop();
    }
  });
}

test('an unwanted body is neither awaited nor read', async () => {
  // Only the response ends this connection.
  const port = await serve(100, { ...patience, headers: 600_000, request: 600_000 });
  const client = await openStubborn(port);
  let text = '';
  client
    .on('error', () => undefined)
    .on('data', (data) => {
      text += data;
    });
  client.write('POST /v1/shut HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n');
  await once(client, 'end');
  assert.match(text, /^HTTP\/1\.1 401 /);
  assert.match(text, /^connection: close\r$/im);
  await untilNone();
  client.destroy();
});

test('a request after an unread body is not answered', async () => {
  const port = await serve(100, { ...patience, linger: 600_000 });
  const client = await openStubborn(port);
  let text = '';
  client
    .on('error', () => undefined)
    .on('data', (data) => {
      text += data;
    });
  client.write('POST /v1/shut HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n');
  await once(client, 'end');
  client.end(`a${request}`);
  // The service continues to read, and closes the connection as soon as the client does.
  await untilNone();
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});

test('an address gets a tenth of the connections', async () => {
  const port = await serve(100);
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open(port)));
  for (const socket of sockets) socket.on('error', () => undefined).resume();
  const left = () => sockets.filter((socket) => !socket.closed);
  await until('ten are left', () => left().length <= 10);
  assert.equal(left().length, 10);
  assert.equal((await sendRaw(port, request)).status, 0);
  left()[0]?.destroy();
  const again = async () => (await sendRaw(port, request)).status;
  assert.equal(await until('there is an answer', again), 200);
  for (const socket of sockets) socket.destroy();
});
