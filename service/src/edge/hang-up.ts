import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const left = new WeakSet<Socket>();
const timed = new WeakSet<Socket>();

/** Whether a connection is closing, so that nothing more is answered on it. */
export function isClosing(socket: Socket): boolean {
  return left.has(socket);
}

/**
 * Sends these bytes and ends a connection, then destroys it after `lingerMs` whatever the client
 * does: Node keeps a connection open until the client has closed its half. Destroying it at once
 * with unread data would reset it, and the answer could be lost (RFC 9112, section 9.6).
 */
export function closeGracefully(socket: Socket, lingerMs: number, bytes?: string): void {
  if (!left.has(socket)) end(socket, bytes);
  destroyAfter(socket, lingerMs);
}

/** Makes Node close connections like this, once an answer was sent completely. */
export function lingerOnClose(server: Server, lingerMs: number, event: string): void {
  server.on(event, (socket: Socket) => {
    socket.destroySoon = () => {
      if (left.has(socket)) return;
      end(socket);
      if (socket.writableFinished) destroyAfter(socket, lingerMs);
      else socket.once('finish', () => destroyAfter(socket, lingerMs));
    };
  });
}

function end(socket: Socket, bytes?: string): void {
  left.add(socket);
  if (bytes === undefined) socket.end();
  else socket.end(bytes);
  // The end of the client's half is detected only by reading.
  socket.resume();
}

function destroyAfter(socket: Socket, ms: number): void {
  if (timed.has(socket)) return;
  timed.add(socket);
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}
