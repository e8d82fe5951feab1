import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

/** A proxy for a PostgreSQL, with faults. */
export interface StallingProxy {
  /** Connects to the same database through the proxy. */
  connectionString: string;
  /** Transfers nothing in either direction, but keeps connections open and accepts new ones. */
  stall(): void;
  /** Ends all connections, and each new one. */
  cut(): void;
  /** Transfers everything again, including what was sent meanwhile. */
  resume(): void;
  close(): Promise<void>;
}

const socketName = '.s.PGSQL.5432';

/** Starts a proxy for the unix socket of `connectionString`, which stands for the network between two machines. */
export async function startStallingProxy(connectionString: string): Promise<StallingProxy> {
  const url = new URL(connectionString.replace('@/', '@localhost/'));
  const upstreamPath = join(url.searchParams.get('host') ?? '', socketName);
  const directory = temporaryDirectory('proxy');
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'stalled' | 'cut' = 'open';

  function pass([client, upstream]: readonly [Socket, Socket]): void {
    client.pipe(upstream);
    upstream.pipe(client);
  }

  function forget(pair: readonly [Socket, Socket]): void {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
    const pair = [client, createConnection(upstreamPath)] as const;
    pairs.add(pair);
    for (const end of pair) {
      end.on('error', () => undefined);
      // While nothing is transferred, neither end is notified when the other one closes.
      end.on('close', () => state !== 'stalled' && forget(pair));
    }
    if (state === 'open') pass(pair);
  });
  await new Promise<void>((resolve) => server.listen(join(directory, socketName), resolve));
  const end = () => [...pairs].forEach(forget);
  return {
    connectionString: connectionString.replace(
      /host=[^&]*/,
      `host=${encodeURIComponent(directory)}`,
    ),
    stall() {
      state = 'stalled';
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
      }
    },
    cut() {
      state = 'cut';
      end();
    },
    resume() {
      state = 'open';
      for (const pair of [...pairs]) {
        if (pair.some(({ destroyed }) => destroyed)) forget(pair);
        else pass(pair);
      }
    },
    async close() {
      state = 'cut';
      end();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
