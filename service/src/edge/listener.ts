import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { boundConnections, type ConnectionBounds, keepAlive } from './connections.ts';
import { isClosing, lingerOnClose } from './hang-up.ts';
import { useOriginForm } from './origin-form.ts';
import type { Tls } from './tls.ts';
import { passOnUpgrades, wantsWebSocket } from './upgrades.ts';

/** Timeouts of connections, in milliseconds. */
export interface Timeouts {
  headers: number;
  /** Until the whole request has arrived. An answer may take longer, as with `Prefer: wait`. */
  request: number;
  /**
   * Without a byte in either direction. Longer than any answer is delayed; ends clients that never
   * read.
   */
  silence: number;
  /** How far a client may lag behind the minimum speed when it reads a large answer. */
  behind: number;
  /** For a client to read its answer after the connection was ended, before it is destroyed. */
  linger: number;
  /** The interval at which connections are checked, which adds to each of the above. */
  checks: number;
}

export const defaultTimeouts: Timeouts = {
  headers: 15_000,
  request: 30_000,
  silence: 120_000,
  behind: 30_000,
  linger: 1500,
  checks: 2000,
};

interface Bounds extends ConnectionBounds {
  timeouts: Timeouts;
  tls: Tls | undefined;
}

const handshakeTimeout = 10_000;

/**
 * Creates the servers that listen. Node's parser refuses what is not HTTP, or could be two
 * requests.
 */
export function listenerFactory({ timeouts: times, tls, ...bounds }: Bounds) {
  const options: ServerOptions = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    connectionsCheckingInterval: times.checks,
    keepAliveTimeout: keepAlive.longest,
    // The request line and the headers together, so that the URL is limited too.
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // Any other upgrade is ignored, as RFC 9110 allows, and the request answered as it is.
    shouldUpgradeCallback: wantsWebSocket,
    // `framing.ts` refuses it, with an explanation.
    requireHostHeader: false,
  };
  return (handler: RequestListener): Server => {
    const listener = useOriginForm(unlessClosing(handler));
    const server = tls
      ? createTlsServer({ ...options, ...tls.context(), handshakeTimeout }, listener)
      : createServer(options, listener);
    server.setTimeout(times.silence);
    // Node would silently ignore further headers; `framing.ts` counts them.
    server.maxHeadersCount = 0;
    lingerOnClose(server, times.linger, tls ? 'secureConnection' : 'connection');
    boundConnections(server, bounds);
    passOnUpgrades(server);
    tls?.follow(server);
    return server;
  };
}

/**
 * Ignores what follows on a connection that should end, since the client may have meant something
 * else.
 */
function unlessClosing(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isClosing(request.socket)) request.resume();
    else handler(request, response);
  };
}
