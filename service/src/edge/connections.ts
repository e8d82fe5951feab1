import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey, networkKey } from '../limits/credentials.ts';
import { createConnectionCounts } from './holders.ts';

/** How long an idle connection is kept open, in milliseconds. */
export const keepAlive = { longest: 75_000, shortest: 5000 };
/**
 * Above this share of all connections, a new one replaces another, or is for a network with few.
 */
const commonPart = 0.9;
const few = 8;

/**
 * Why a connection was closed. `address`: its address has reached its share. `full`: the service
 * has. `idle`: a new connection replaced it.
 */
export const closings = ['address', 'full', 'idle'] as const;
export type Closing = (typeof closings)[number];

export interface ConnectionBounds {
  /** The maximum of open connections. */
  maxConnections: number;
  isProxy: (address: string) => boolean;
  closed: (why: Closing) => void;
}

interface Connection {
  socket: Socket;
  address: string;
  ends: string;
  /** Requests whose headers have arrived, and that are not answered yet. */
  underWay: number;
}

/**
 * Limits the connections of a server. An address may have a tenth of them. Once nine tenths are
 * open, a new connection replaces the longest idle one of the network with the most, if that has
 * more than its own; otherwise only networks with few get one. Connections with a request are never
 * closed. Proxies have the connections of others, so theirs are not closed, and only the total
 * limits them.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { maxConnections, isProxy, closed } = bounds;
  const common = Math.max(1, Math.floor(maxConnections * commonPart));
  const share = Math.max(1, Math.floor(maxConnections / 10));
  const ofAddress = new Map<string, number>();
  const byNetwork = createConnectionCounts<Connection>();
  /** Over TLS, a request has another socket than the connection. */
  const byEnds = new Map<string, Connection>();
  let ofProxies = 0;

  const open = () => byNetwork.count + ofProxies;

  /** Why a new connection is refused; undefined if it is not. May close another one for it. */
  function refusal(address: string, isOfProxy: boolean): Closing | undefined {
    if (!isOfProxy && (ofAddress.get(addressKey(address)) ?? 0) >= share) return 'address';
    if (open() < common) return undefined;
    const held = isOfProxy ? 0 : byNetwork.countOf(networkKey(address));
    const idle = byNetwork.longestIdle(held);
    if (idle) {
      // The socket reports its end only later, when many more may have come.
      remove(idle);
      idle.socket.destroy();
      closed('idle');
      return undefined;
    }
    return open() < maxConnections && (isOfProxy || held < few) ? undefined : 'full';
  }

  function add(socket: Socket, remote: string): void {
    const [address, ends] = [addressKey(remote), endsOf(socket)];
    const connection = { socket, address, ends, underWay: 0 };
    ofAddress.set(address, (ofAddress.get(address) ?? 0) + 1);
    byNetwork.add(connection, networkKey(remote));
    byEnds.set(ends, connection);
    socket.once('close', () => remove(connection));
  }

  function remove(connection: Connection): void {
    if (!byNetwork.remove(connection)) return;
    const { address, ends } = connection;
    const left = (ofAddress.get(address) ?? 1) - 1;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
    if (byEnds.get(ends) === connection) byEnds.delete(ends);
    adaptKeepAlive();
  }

  function addOfProxy(socket: Socket): void {
    ofProxies += 1;
    socket.once('close', () => {
      ofProxies -= 1;
      adaptKeepAlive();
    });
  }

  /**
   * Shortens the keep-alive timeout once half of the connections are open. Node reads it at the end
   * of each answer. Connections of proxies do not count: a proxy whose connection is closed just as
   * it sends a request gets no answer.
   */
  function adaptKeepAlive(): void {
    const places = Math.max(1, byNetwork.count, common - ofProxies);
    const free = 1 - byNetwork.count / places;
    const milliseconds = Math.min(keepAlive.longest, Math.round(2 * keepAlive.longest * free));
    server.keepAliveTimeout = Math.max(keepAlive.shortest, milliseconds);
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const isOfProxy = isProxy(address);
    const why = refusal(address, isOfProxy);
    if (why) {
      socket.destroy();
      closed(why);
      return;
    }
    if (isOfProxy) addOfProxy(socket);
    else add(socket, address);
    adaptKeepAlive();
  });
  // Runs before the answer can be ready.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = byEnds.get(endsOf(request.socket));
    if (!connection) return;
    connection.underWay += 1;
    byNetwork.work(connection);
    response.once('close', () => {
      connection.underWay -= 1;
      if (connection.underWay === 0) byNetwork.rest(connection);
    });
  });
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
