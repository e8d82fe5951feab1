import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { relative } from 'node:path';
import type { Duplex } from 'node:stream';

export type Place =
  | { socketPath: string }
  | {
      /** Defaults to any free port. */
      port?: number;
      /**
       * Its key and certificate, and the certificate of a client that it trusts from the start, as
       * PEM.
       */
      cert: string;
      key: string;
      clientCert?: string;
    };

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Listening {
  socketPath?: string;
  url?: string;
  /** Whether it accepts requests and never answers them. */
  silence(isSilent: boolean): void;
  /** Requests that it accepted and did not answer: `GET /1.0?target=a`. */
  unanswered: readonly string[];
  /** Closes it with every connection, and removes the file of a socket. */
  stop(): Promise<void>;
}

export class SocketInUseError extends Error {}

/** Bytes in the path of a Unix socket (unix(7)). */
const maxSocketPath = 107;

/** The path of a socket, relative to the working directory if it is too long. */
export const shortEnough = (path: string) =>
  Buffer.byteLength(path) <= maxSocketPath ? path : relative('.', path);

export async function listen(
  place: Place,
  onRequest: RequestListener,
  onUpgrade: Upgrade,
): Promise<Listening> {
  let isSilent = false;
  const unanswered: string[] = [];
  const answerUnlessSilent: RequestListener = (request, response) => {
    if (isSilent) unanswered.push(`${request.method} ${request.url}`);
    else onRequest(request, response);
  };
  const server =
    'socketPath' in place ? createServer(answerUnlessSilent) : tlsServer(place, answerUnlessSilent);
  // Incus does not close idle connections.
  server.keepAliveTimeout = 0;
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', onUpgrade);
  if ('socketPath' in place) {
    if (await answers(place.socketPath)) {
      throw new SocketInUseError(`Another simulator listens on ${place.socketPath}.`);
    }
    // Removes the socket of a killed process.
    rmSync(place.socketPath, { force: true });
    server.listen(place.socketPath);
  } else server.listen(place.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopServer(server, sockets);
    return stopping;
  };
  const listening = {
    silence(silent: boolean) {
      isSilent = silent;
    },
    unanswered,
    stop,
  };
  if ('socketPath' in place) return { socketPath: place.socketPath, ...listening };
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, ...listening };
}

async function answers(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  const answered = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false); // Nothing listens there.
  socket.destroy();
  return answered;
}

function tlsServer(place: Exclude<Place, { socketPath: string }>, onRequest: RequestListener) {
  // Incus itself checks the client's certificate, and reports an untrusted one.
  const client = { requestCert: true, rejectUnauthorized: false };
  return createTlsServer({ cert: place.cert, key: place.key, ...client }, onRequest);
}

async function stopServer(server: Server, sockets: Set<Duplex>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
