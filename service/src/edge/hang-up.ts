import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const left = new WeakSet<Socket>();
const timed = new WeakSet<Socket>();

/** Whether nothing more is answered on a connection. */
export function isLeft(socket: Socket): boolean {
  return left.has(socket);
}

/**
 * Ends a connection, after these bytes, and destroys it that much later, whatever the client does:
 * Node's HTTP connections stay open for as long as the client's half does. Destroyed at once with
 * something unread it would be reset, and the answer lost on the way (RFC 9112, section 9.6).
 */
export function hangUp(socket: Socket, lingerMs: number, bytes?: string): void {
  if (!left.has(socket)) end(socket, bytes);
  destroyAfter(socket, lingerMs);
}

/** Has Node, where it closes a connection after an answer, do so as above, once all of it is sent. */
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
  // Who hangs up, too, is seen only by reading on.
  socket.resume();
}

function destroyAfter(socket: Socket, ms: number): void {
  if (timed.has(socket)) return;
  timed.add(socket);
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}
