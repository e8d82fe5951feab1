import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';

// Otherwise connections that are kept alive would delay a stop for 75 s, and silent ones for 120 s.

const { db, close } = await createTestDatabase();
after(close);

const request = 'GET /v1/held HTTP/1.1\r\nHost: a\r\n\r\n';
/** Well below the time after which Node closes them by itself. */
const seconds = 30;

async function serve(held: Promise<object>): Promise<{ app: App; port: number }> {
  const schema = { response: { 200: Type.Any() } };
  const app = await createTestApp(db, [
    (api) => void api.get('/held', { config: { scope: 'public' }, schema }, () => held),
  ]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.address() as AddressInfo).port };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

test('a busy connection is closed after its answer', async () => {
  const held = Promise.withResolvers<object>();
  const { app, port } = await serve(held.promise);
  const began = once(app.server, 'request');
  const socket = await open(port);
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.write(request);
  await began;
  const closing = app.close();
  await until('it accepts no more connections', () => !app.server.listening);
  held.resolve({ held: true });
  await until('it is closed', () => socket.closed, Boolean, seconds);
  assert.match(received, /\{"held":true\}$/);
  await closing;
});

test('a connection that never had a request is closed', async () => {
  const { app, port } = await serve(Promise.resolve({}));
  const accepted = once(app.server, 'connection');
  const socket = (await open(port)).resume();
  await accepted;
  const closing = app.close();
  await until('it is closed', () => socket.closed, Boolean, seconds);
  await closing;
});
