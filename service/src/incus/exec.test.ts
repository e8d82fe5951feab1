import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { cleanUpWith, connect, directory } from './test-client.ts';
import { listenOnSocket, operation, stop, sync } from './test-server.ts';

let servers = 0;

type Upgrade = (accept: () => void, index: number, socket: Duplex) => void;

/** An engine that starts a program which never ends. Returns what it was sent, and its client. */
async function engineThat(onUpgrade: Upgrade, onOpen: (socket: WebSocket) => void = () => {}) {
  const sent: string[] = [];
  const socketPath = directory.file(`exec-${servers++}.socket`);
  const fds = { 0: 'a', 1: 'b', 2: 'c', control: 'd' };
  const program = operation('1', { description: 'Executing command', metadata: { fds } });
  const ended = operation('1', { status_code: 200, status: 'Success', metadata: { return: 137 } });
  let isClosed = false;
  const waiting: (() => void)[] = [];
  const server = await listenOnSocket(socketPath, ({ method }, response) => {
    if (method === 'POST') {
      response.setHeader('content-type', 'application/json');
      const started = { type: 'async', operation: '/1.0/operations/1', metadata: program };
      response.end(JSON.stringify(started));
      return;
    }
    const answer = () => sync(response, ended);
    if (isClosed) answer();
    else waiting.push(answer);
  });
  const sockets = new WebSocketServer({ noServer: true });
  let count = 0;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const accept = () =>
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on('message', (data) => sent.push(String(data)));
        opened.on('close', () => {
          isClosed = true;
          for (const answer of waiting.splice(0)) answer();
        });
        onOpen(opened);
      });
    onUpgrade(accept, count++, socket);
  });
  cleanUpWith(async () => {
    for (const client of sockets.clients) client.terminate();
    await stop(server);
  });
  return { sent, client: connect({ socketPath, project: 'p' }) };
}

test('the input of a program is not sent once it is aborted', async () => {
  const abort = new AbortController();
  const held: Duplex[] = [];
  // The last connection is not accepted, and the lease is lost meanwhile.
  const { sent, client } = await engineThat((accept, index, socket) => {
    if (index < 2) return accept();
    held.push(socket);
    abort.abort(new Error('The lease was lost.'));
  });
  cleanUpWith(() => {
    for (const socket of held) socket.destroy();
  });
  const options = { signal: abort.signal, timeoutSeconds: 30 };
  await assert.rejects(client.exec.run('a', ['cat'], 'secret', options), /The lease was lost/);
  assert.deepEqual(sent, []);
});

test('a program that prints too much is ended', async () => {
  const chunk = Buffer.alloc(2 ** 14, 'x');
  const flood = (socket: WebSocket) => {
    const print = () => {
      if (socket.readyState === socket.OPEN) socket.send(chunk, () => setImmediate(print));
    };
    print();
  };
  const { client } = await engineThat((accept) => accept(), flood);
  assert.equal(await client.exec.run('a', ['yes'], '', { timeoutSeconds: 60 }), 137);
});
