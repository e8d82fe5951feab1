import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { closeGracefully } from './hang-up.ts';

const lookMs = 50;

/**
 * Closes idle connections for as long as the server is closing. Node does so only once, at the
 * beginning: a connection that was busy then, or never had a request, would delay the stop until it
 * times out.
 */
export function closeIdleOnClose(app: FastifyInstance, lingerMs: number): void {
  const { server } = app;
  const connections = trackRequests(server);
  let look: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    look = setInterval(() => {
      for (const [socket, requests] of connections)
        if (requests === 0) closeGracefully(socket, lingerMs);
    }, lookMs);
  });
  // After the server has closed, or if it never listened.
  app.addHook('onClose', async () => clearInterval(look));
}

/** Counts the requests in progress on each connection. */
function trackRequests(server: Server): Map<Socket, number> {
  const connections = new Map<Socket, number>();
  const add = (socket: Socket, count: number) => {
    const requests = connections.get(socket);
    if (requests !== undefined) connections.set(socket, requests + count);
  };
  // Requests over TLS belong to the secure socket. A handshake has its own timeout.
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
