import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { until } from '../../service/src/testing/until.ts';
import { type Berth, createBerth } from '../src/berth.ts';
import { json, problem } from './server.ts';

/** The server's end of a console. */
export interface ConsolePeer {
  socket: WebSocket;
  /** What was typed. */
  typed(): string;
  /** The messages about sizes. */
  sizes: unknown[];
}

export interface ConsoleService {
  url: string;
  berth: Berth;
  /** What happens to the next requests for a ticket instead of an answer with one. */
  refusals: { status: number; code: string }[];
  /** How many WebSockets are refused from now on. */
  refusedSockets: number;
  tickets: string[];
  /** Waits until a console was opened for the nth time, counted from 1. */
  opened(count: number): Promise<ConsolePeer>;
}

/** A service that has only consoles. A ticket can be used once. */
export async function serveConsoles(replay = 'login: '): Promise<ConsoleService> {
  const peers: ConsolePeer[] = [];
  const unused = new Set<string>();
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    const received = { method, url: path, headers, body: '', at: 0 };
    const refusal = service.refusals.shift();
    if (refusal) return problem(refusal.status, refusal.code)(response, received);
    const ticket = `/v1/consoles/${service.tickets.length + 1}`;
    service.tickets.push(path);
    unused.add(ticket);
    const body = { url: `${service.url.replace('http', 'ws')}${ticket}`, expires_at: '' };
    json(body, {}, 201)(response, received);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const isKnown = unused.delete(request.url ?? '');
    if (!isKnown || service.refusedSockets-- > 0) {
      return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const chunks: Buffer[] = [];
      const peer = { socket: opened, typed: () => Buffer.concat(chunks).toString(), sizes: [] };
      accept(peer, chunks);
      peers.push(peer);
      opened.send(Buffer.from(replay));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: ConsoleService = {
    ...{
      url,
      berth: createBerth({ url, retries: 0 }),
      refusals: [],
      refusedSockets: 0,
      tickets: [],
    },
    async opened(count) {
      await until(
        `${count} consoles were opened`,
        () => peers.length,
        (now) => now >= count,
      );
      return peers[count - 1] as ConsolePeer;
    },
  };
  after(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  });
  return service;
}

function accept({ socket, sizes }: ConsolePeer, typed: Buffer[]): void {
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) typed.push(data);
    else sizes.push(JSON.parse(String(data)));
  });
}
