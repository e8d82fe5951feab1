import { realpath } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Answer } from './as-root.ts';
import { perform, requireBtrfs } from './commands.ts';

const longestRequest = 4096;
const requestMilliseconds = 10_000;
/** A service has only a few calls in progress. */
const maxConnections = 8;

/** The path of a pool, or of a server's disk below it; see `disk-size.ts`. */
const path = Type.String({ pattern: '^/[A-Za-z0-9_./-]+$' });
const volume = Type.String({
  pattern:
    '^containers/([A-Za-z0-9][A-Za-z0-9_.-]*_)?srv-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
});
const bytes = Type.Integer({ minimum: 1 });
const calls = ['show groups', 'clear stale', 'rescan', 'count simply'] as const;
const Request = Type.Union([
  Type.Object({ path, call: Type.Enum(calls) }),
  Type.Object({ path, call: Type.Literal('list subvolumes'), volume }),
  Type.Object({ path, call: Type.Literal('limit'), volume, bytes }),
]);

/**
 * Serves a service that does not run as root: one call per connection, one line of JSON each way,
 * and only a `RootCall` on a btrfs that is mounted as a pool. Clients are not trusted.
 * @param pools the directory in which an Incus mounts its pools
 */
export function createHelper(pools: string): Server {
  const server = createServer((socket) => {
    // The client has disconnected.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(requestMilliseconds, () => socket.destroy());
    socket.on('data', () => {
      if (socket.bytesRead > longestRequest) socket.destroy();
    });
    createInterface({ input: socket }).once('line', (line) => {
      serve(socket, pools, line).catch(() => socket.destroy());
    });
  });
  server.maxConnections = maxConnections;
  return server;
}

async function serve(socket: Socket, pools: string, line: string): Promise<void> {
  socket.setTimeout(0);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const answer = JSON.stringify(await answerTo(pools, line, gone.signal));
  // Closes the connection of a client that does not read its answer.
  socket.setTimeout(requestMilliseconds);
  socket.end(answer);
}

async function answerTo(pools: string, line: string, signal: AbortSignal): Promise<Answer> {
  try {
    const request: unknown = JSON.parse(line);
    if (!Value.Check(Request, request)) throw new Error('That is no call.');
    const { path: pool, ...call } = request;
    if (dirname(pool) !== (await realpath(pools))) throw new Error(`${pool} is not in ${pools}.`);
    await requireBtrfs(pool);
    return { printed: await perform(pool, call, signal) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}
