import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { Problem } from '../problems/problem.ts';

/** What is typed or pasted at once. */
const mostMessageBytes = 64 * 1024;

interface Upgrade {
  socket: Socket;
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: mostMessageBytes,
  // Only what was offered can be required.
  handleProtocols: ([first]) => first ?? false,
});

/** Whether a request asks for a WebSocket as RFC 6455 defines it, and so can be accepted. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  );
}

/**
 * Handles requests for a WebSocket like all others, so that everything that applies to a request applies to them, until
 * a route accepts one. Its connection counts as busy until it is closed.
 */
export function passOnUpgrades(server: Server): void {
  server.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket;
    upgrades.set(request, { socket, head });
    // Node handles no errors of the connection any more.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    server.emit('request', request, response);
  });
}

/** Throws `websocket_required` (426) unless the request asks for a WebSocket with this subprotocol alone. */
export function requireWebSocket(request: FastifyRequest, protocol: string): void {
  const offered = request.headers['sec-websocket-protocol'];
  if (upgrades.has(request.raw) && offered === protocol) return;
  const detail = `Open this path with a WebSocket of the subprotocol ${protocol}.`;
  throw new Problem('websocket_required', detail, { headers: { Upgrade: 'websocket' } });
}

/** Accepts the WebSocket of a request; undefined if its connection was closed meanwhile. */
export function acceptWebSocket(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<WebSocket | undefined> {
  const upgrade = upgrades.get(request.raw);
  if (!upgrade) throw new Error('The request asks for no WebSocket.');
  reply.hijack();
  const { socket, head } = upgrade;
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    sockets.handleUpgrade(request.raw, socket, head, resolve);
  });
}
