import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey, networkKey } from '../limits/credentials.ts';
import { createHolders } from './holders.ts';

/** How long a connection without a request is kept, in milliseconds. */
export const keepAlive = { longest: 75_000, shortest: 5000 };
/** Beyond this part of the places somebody else has to give one up, or few are held. */
const commonPart = 0.9;
const few = 8;

/**
 * Why a connection was closed: a new one, since its `address` holds its share or since the service is `full`;
 * or an `idle` one, since a new one took its place.
 */
export const closings = ['address', 'full', 'idle'] as const;
export type Closing = (typeof closings)[number];

export interface ConnectionBounds {
  /** Open at once. */
  maxConnections: number;
  isProxy: (address: string) => boolean;
  closed: (why: Closing) => void;
}

interface Connection {
  socket: Socket;
  address: string;
  ends: string;
  /** Requests whose headers have come, and that are not answered yet. */
  underWay: number;
}

/**
 * Bounds the connections of a server. What an address opens beyond a tenth of them is closed. Once nine tenths are
 * open, a new one takes the place of the longest idle one of the network that holds most, if that is more than its
 * own holds; where there is none, the rest is for networks that hold few. None that has a request is closed. A proxy
 * holds the connections of others: of its own none is closed, and only all there may be bound them.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { maxConnections, isProxy, closed } = bounds;
  const common = Math.max(1, Math.floor(maxConnections * commonPart));
  const share = Math.max(1, Math.floor(maxConnections / 10));
  const ofAddress = new Map<string, number>();
  const byNetwork = createHolders<Connection>();
  /** Over TLS the socket of a request is another one. */
  const byEnds = new Map<string, Connection>();
  let ofProxies = 0;

  const open = () => byNetwork.count + ofProxies;

  /** Why there is no place for a new one. Closes another one for it if need be. */
  function refusal(address: string, isOfProxy: boolean): Closing | undefined {
    if (!isOfProxy && (ofAddress.get(addressKey(address)) ?? 0) >= share) return 'address';
    if (open() < common) return undefined;
    const held = isOfProxy ? 0 : byNetwork.countOf(networkKey(address));
    const idle = byNetwork.longestIdle(held);
    if (idle) {
      // Its socket tells that it is closed only later, when many more may have come.
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
   * Shorter once half of the places are taken. Node reads it at the end of each answer. Connections of proxies don't
   * shorten it: one that asks again just when its connection is closed gets no answer.
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
  // Before the answer can be there.
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
