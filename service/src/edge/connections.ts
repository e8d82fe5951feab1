import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../limits/credentials.ts';

/** Closes what an address opens beyond its share, so that one alone can't take all there are. */
export function boundConnections(
  server: Server,
  most: number,
  isProxy: (address: string) => boolean,
): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const key = addressKey(address);
    const count = (open.get(key) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(key, count);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left === 0) open.delete(key);
      else open.set(key, left);
    });
  });
}
