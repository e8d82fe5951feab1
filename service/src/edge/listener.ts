import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { boundConnections, type ConnectionBounds, keepAlive } from './connections.ts';
import { isLeft, lingerOnClose } from './hang-up.ts';
import { useOriginForm } from './origin-form.ts';
import type { Tls } from './tls.ts';

/** How long a client may take, in milliseconds. */
export interface Patience {
  headers: number;
  /** For the whole request to arrive; an answer may take longer, as `Prefer: wait` asks. */
  request: number;
  /** Without a byte either way: longer than an answer is held, and the end of who never reads. */
  silence: number;
  /** That a client may be behind the least speed in reading a large answer. */
  behind: number;
  /** For who was answered that the connection ends to read it, before it is destroyed. */
  linger: number;
  /** Between two looks at the connections, so that each of the above holds that much longer. */
  checks: number;
}

export const patience: Patience = {
  headers: 15_000,
  request: 30_000,
  silence: 120_000,
  behind: 30_000,
  linger: 1500,
  checks: 2000,
};

interface Bounds extends ConnectionBounds {
  patience: Patience;
  tls: Tls | undefined;
}

const handshakeTimeout = 10_000;

/** Makes the servers that listen. Node's parser refuses what is not HTTP, or could be two requests. */
export function listenerFactory({ patience: times, tls, ...bounds }: Bounds) {
  const options: ServerOptions = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    connectionsCheckingInterval: times.checks,
    keepAliveTimeout: keepAlive.longest,
    // Of the request line and the headers together, so that the URL is bounded too.
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // We refuse it ourselves, in words.
    requireHostHeader: false,
  };
  return (handler: RequestListener): Server => {
    const listener = useOriginForm(unlessLeft(handler));
    const server = tls
      ? createTlsServer({ ...options, ...tls.context(), handshakeTimeout }, listener)
      : createServer(options, listener);
    server.setTimeout(times.silence);
    // Node would leave out those beyond without a word; they are counted in `framing.ts`.
    server.maxHeadersCount = 0;
    lingerOnClose(server, times.linger, tls ? 'secureConnection' : 'connection');
    boundConnections(server, bounds);
    tls?.follow(server);
    return server;
  };
}

/** What follows on a connection that was to end may not be what the client meant. */
function unlessLeft(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isLeft(request.socket)) request.resume();
    else handler(request, response);
  };
}
