import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/** By name. */
const held = new Map<string, Server>();

/**
 * Waits until no other process of this machine holds `name`, then holds it until this process ends in any way. What this
 * process holds already is not waited for. `say` is called once with what it waits for. A turn is an abstract socket
 * (unix(7)), which the kernel gives to one process at a time, and releases when that has ended. A client that connects
 * learns who holds it, and notices when that process ends.
 */
export async function takeTurn(name: string, say: (text: string) => void): Promise<void> {
  if (held.has(name)) return;
  const address = `\0berth-turn:${name}`;
  let told = '';
  for (;;) {
    const server = await listen(address);
    if (server) {
      held.set(name, server);
      return;
    }
    const holder = await waitForEnd(address, (text) => {
      if (text !== told) say(`Waiting for ${text}, which uses ${name}`);
      told = text;
    });
    // It belongs to another user, or has just ended.
    if (holder === 'unknown') await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.unref().write(`the process ${process.pid} in ${process.cwd()}`);
  });
  server.unref().listen(address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return server;
}

/** Resolves when the process that holds the address has ended. */
async function waitForEnd(
  address: string,
  tell: (holder: string) => void,
): Promise<'ended' | 'unknown'> {
  const socket = connect(address).setEncoding('utf8').on('data', tell);
  return await new Promise((resolve) => {
    socket.once('error', () => resolve('unknown'));
    socket.once('close', (hadError) => resolve(hadError ? 'unknown' : 'ended'));
  });
}
