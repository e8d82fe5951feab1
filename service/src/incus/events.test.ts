import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { after, afterEach, describe, it } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { everLonger } from '../testing/ever-longer.ts';
import { until } from '../testing/until.ts';
import { type IncusEvent, type WatchOptions, watchEvents } from './events.ts';
import {
  listenOnSocket,
  listenOnTls,
  selfSigned,
  stop,
  temporaryDirectory,
} from './test-server.ts';
import type { IncusConnection } from './transport/connection.ts';
import { EngineError } from './transport/errors.ts';

const directory = temporaryDirectory();
after(() => directory.remove());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const notFound: Parameters<typeof listenOnSocket>[1] = (_, response) => {
  response.writeHead(404).end();
};

/** Accepts WebSocket connections on `server`, and passes each socket with its path to `onSocket`. */
function serveEvents(server: Server, onSocket: (socket: WebSocket, path: string) => void): void {
  const events = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) =>
    events.handleUpgrade(request, socket, head, (ws) => onSocket(ws, request.url ?? '')),
  );
  cleanups.push(() => {
    for (const client of events.clients) client.terminate();
  });
}

let sockets = 0;

async function eventServer(onSocket: (socket: WebSocket, path: string) => void) {
  const socketPath = directory.file(`${sockets++}.socket`);
  const server = await listenOnSocket(socketPath, notFound);
  cleanups.push(() => stop(server));
  serveEvents(server, onSocket);
  return { socketPath };
}

/** Starts a watcher that logs its events. `untilLogged` waits for a number of lines, or for a line. */
function watch(connection: IncusConnection, extra: Partial<WatchOptions> = {}) {
  const controller = new AbortController();
  const log: string[] = [];
  const heard: IncusEvent[] = [];
  const reasons: unknown[] = [];
  const note = (line: string) => void log.push(line);
  const ended = watchEvents(connection, {
    types: ['lifecycle', 'operation'],
    project: 'p',
    signal: controller.signal,
    onEvent: (event) => {
      heard.push(event);
      note(event.type);
    },
    onConnect: () => note('connect'),
    onDisconnect: (reason) => {
      reasons.push(reason);
      note('disconnect');
    },
    ...extra,
  });
  cleanups.push(() => {
    controller.abort();
    return ended;
  });
  const untilLogged = (wanted: number | string) =>
    until(
      `${wanted} is logged`,
      () => log,
      (lines) => (typeof wanted === 'string' ? lines.includes(wanted) : lines.length >= wanted),
    );
  return { controller, ended, log, heard, reasons, untilLogged };
}

const started = {
  type: 'lifecycle',
  timestamp: '2026-01-01T00:00:00.5Z',
  project: 'p',
  location: 'm1',
  metadata: { action: 'instance-started', source: '/1.0/instances/srv-1?project=p' },
};

describe('watchEvents', () => {
  it('requests the project and types, and passes on typed events', async () => {
    const paths: string[] = [];
    const connection = await eventServer((socket, path) => {
      paths.push(path);
      socket.send(JSON.stringify(started));
      socket.send(JSON.stringify({ ...started, type: 'operation', metadata: { id: '7' } }));
    });
    const { untilLogged, heard } = watch(connection);
    await untilLogged(3);
    assert.deepEqual(paths, ['/1.0/events?project=p&type=lifecycle%2Coperation']);
    const origin = { timestamp: '2026-01-01T00:00:00.5Z', project: 'p', location: 'm1' };
    const { action, source } = started.metadata;
    assert.deepEqual(heard, [
      { type: 'lifecycle', ...origin, action, source, instance: 'srv-1', context: {} },
      { type: 'operation', ...origin, operation: { id: '7' } },
    ]);
  });

  it('reconnects when the connection ends', async () => {
    let connections = 0;
    const connection = await eventServer((socket) => {
      connections += 1;
      if (connections === 1) socket.close(1001);
    });
    const { log, reasons, untilLogged } = watch(connection);
    await untilLogged(3);
    assert.deepEqual(log, ['connect', 'disconnect', 'connect']);
    assert.match(String(reasons[0]), /closed the event stream: 1001/);
  });

  it('retries if nobody listens or the stream is refused', async () => {
    const nobody = watch({ socketPath: directory.file('none.socket') });
    await nobody.untilLogged(2);
    assert.deepEqual(nobody.log.slice(0, 2), ['disconnect', 'disconnect']);
    assert.equal((nobody.reasons[0] as EngineError).code, 'unreachable');

    const socketPath = directory.file('refusing.socket');
    const server = await listenOnSocket(socketPath, notFound);
    cleanups.push(() => stop(server));
    server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const refused = watch({ socketPath });
    await refused.untilLogged(1);
    assert.equal((refused.reasons[0] as EngineError).code, 'forbidden');
  });

  it('closes a silent connection', async () => {
    const connection = await eventServer((socket) => {
      // The socket neither reads nor responds to pings, as if its machine had lost power.
      socket.pause();
    });
    const { reasons, untilLogged } = watch(connection, { pingSeconds: 0.05 });
    await untilLogged('disconnect');
    assert.ok(reasons[0] instanceof EngineError);
    assert.equal(reasons[0].code, 'timeout');
  });

  it('keeps an idle connection whose peer responds to pings', async () => {
    await everLonger(async (longest) => {
      let pings = 0;
      const connection = await eventServer((socket) =>
        socket.on('ping', () => {
          pings += 1;
        }),
      );
      const { log } = watch(connection, { pingSeconds: longest / 3 });
      // A peer that does not respond would receive only one ping.
      const look = () => ({ pings, log });
      await until('three pings were sent', look, (seen) => seen.pings === 3 || log.length > 1);
      assert.deepEqual(log, ['connect']);
    });
  });

  it('reconnects after malformed events and errors of handlers', async () => {
    const garbled = watch(await eventServer((socket) => socket.send('{')));
    await garbled.untilLogged('disconnect');
    assert.match(String(garbled.reasons[0]), /malformed event/);

    const onEvent = () => {
      throw new Error('handler broke');
    };
    const connection = await eventServer((socket) => socket.send(JSON.stringify(started)));
    const broken = watch(connection, { onEvent });
    await broken.untilLogged('disconnect');
    assert.match(String(broken.reasons[0]), /handler broke/);
  });

  it('resolves when aborted, connected or not, without another event', async () => {
    const connected = watch(await eventServer(() => {}));
    await connected.untilLogged(1);
    connected.controller.abort();
    await connected.ended;
    assert.deepEqual(connected.log, ['connect']);

    const pausing = watch({ socketPath: directory.file('none.socket') });
    await pausing.untilLogged(1);
    const before = [...pausing.log];
    pausing.controller.abort();
    await pausing.ended;
    assert.deepEqual(pausing.log, before);
  });

  it('tries the next member over HTTPS', async () => {
    const identity = selfSigned(directory.file('server'));
    const own = selfSigned(directory.file('client'));
    const { server, url } = await listenOnTls(identity, own.cert, notFound);
    cleanups.push(() => stop(server));
    serveEvents(server, (socket) => socket.send(JSON.stringify(started)));
    const credentials = { clientCert: own.cert, clientKey: own.key, serverCert: identity.cert };
    const { log, untilLogged } = watch({ urls: ['https://127.0.0.1:1', url], ...credentials });
    await untilLogged(3);
    assert.deepEqual(log, ['disconnect', 'connect', 'lifecycle']);
  });
});
