import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { hangUp } from './hang-up.ts';

const lookMs = 50;

/**
 * Hangs up idle connections for as long as the server closes. Node does so once, when it begins to close: a connection
 * on which an answer was under way at that moment, or that never had a request, would hold the stop up until it
 * times out.
 */
export function hangUpIdleOnClose(app: FastifyInstance, lingerMs: number): void {
  const { server } = app;
  const connections = trackRequests(server);
  let look: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    look = setInterval(() => {
      for (const [socket, requests] of connections) if (requests === 0) hangUp(socket, lingerMs);
    }, lookMs);
  });
  // When the server has closed, or where it never listened.
  app.addHook('onClose', async () => clearInterval(look));
}

/** How many requests are under way on each connection. */
function trackRequests(server: Server): Map<Socket, number> {
  const connections = new Map<Socket, number>();
  const add = (socket: Socket, count: number) => {
    const requests = connections.get(socket);
    if (requests !== undefined) connections.set(socket, requests + count);
  };
  // Requests over TLS are on the secure socket; a handshake has a limit of its own.
  const opened = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(opened, (socket: Socket) => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    add(socket, 1);
    response.once('close', () => add(socket, -1));
  });
  return connections;
}
