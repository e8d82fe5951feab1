import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const maxAttempts = 20;
const isTaken = (error: unknown) => /in use|EADDRINUSE/i.test(String(error));

/**
 * Starts something on a free port of 127.0.0.1. Another process may take the port before the start:
 * if `start` throws that the address is in use, it is called again with another port.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return await start(port);
    } catch (error) {
      if (!isTaken(error) || attempt === maxAttempts) throw error;
    }
  }
}

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
