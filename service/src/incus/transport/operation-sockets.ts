import type { WebSocket } from 'ws';
import { type Endpoint, endpoints, type IncusConnection } from './connection.ts';
import { isEngineError } from './errors.ts';
import { errorOfSocket, openSocket, refusedSocket } from './websocket.ts';

interface OperationSockets {
  /** The operation that clients connect to. */
  id: string;
  /** Its secrets, one for each connection. */
  secrets: (string | undefined)[];
  /** The name of the connections in errors, such as "The connection to a program". */
  what: string;
  /** Whether nothing is read from them until they are resumed. */
  isPaused?: true;
  signal?: AbortSignal | undefined;
}

/** Incus waits for 5 s for the connections of a program, and there may be several endpoints to try. */
const handshakeTimeoutMs = 2000;

/**
 * Opens the connections for these secrets, all to the same endpoint: the first that accepts them. Closes them if it is
 * aborted meanwhile.
 */
export async function openOperationSockets(
  connection: IncusConnection,
  { id, secrets, what, isPaused, signal }: OperationSockets,
): Promise<WebSocket[]> {
  let failure: unknown;
  for (const endpoint of endpoints(connection)) {
    signal?.throwIfAborted();
    const sockets = secrets.map((secret = '') => {
      const path = `/1.0/operations/${id}/websocket?${new URLSearchParams({ secret })}`;
      return openSocket(connection, endpoint, path, handshakeTimeoutMs);
    });
    const close = () => {
      for (const socket of sockets) socket.terminate();
    };
    signal?.addEventListener('abort', close);
    try {
      if (isPaused) for (const socket of sockets) socket.once('open', () => socket.pause());
      await Promise.all(sockets.map((socket) => opened(socket, endpoint, what)));
      return sockets;
    } catch (error) {
      close();
      signal?.throwIfAborted();
      failure = error;
      if (!isEngineError(error, 'unreachable', 'timeout')) break;
    } finally {
      signal?.removeEventListener('abort', close);
    }
  }
  throw failure;
}

function opened(socket: WebSocket, { name }: Endpoint, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('unexpected-response', (_request, { statusCode }) => {
      reject(refusedSocket(what, statusCode));
      socket.terminate();
    });
    // Once it is open, the operation says how it ended.
    socket.on('error', (error) => reject(errorOfSocket(error, what, name)));
  });
}
