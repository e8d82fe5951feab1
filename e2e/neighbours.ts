import { createServer, type Server as Listener } from 'node:net';
import { after, before } from 'node:test';
import type { Server } from '@berth/contract/servers';
import { createIncusClient, type IncusClient } from '../service/src/incus/client.ts';
import { created, incusNetwork, incusSocket, remove } from './api.ts';
import { bringOutside, host, lan, metadata, outside, ports } from './outside.ts';
import { reached } from './reach.ts';
import { ssh } from './ssh.ts';

/** Two servers on one network, a host that listens, and their surroundings: the Internet, a LAN, cloud metadata. */
export interface Neighbours {
  incus: IncusClient;
  one: Server;
  other: Server;
  /** The gateway of each family. */
  gateways: string[];
  /** A port on which the host listens on all its addresses. */
  port: number;
  /** All destinations, as `ADDRESS PORT`, that `one` reaches only if they are allowed. */
  closed(): string[];
  /** Returns the destinations, as `ADDRESS PORT`, to which `one` can open a TCP connection. */
  from(places: string[]): Promise<string[]>;
  /** Adds or deletes routes on both servers to the addresses of the other. */
  setRoutes(verb: 'add' | 'del', way: string): Promise<void>;
}

export const addressesOf = (server: Server) => server.ip_addresses.map(({ ip }) => ip);
export const sshOf = (server: Server) => addressesOf(server)[0] ?? '';
export const at = (addresses: string[], port: number) =>
  addresses.map((address) => `${address} ${port}`);

/** A route to a neighbour through the gateway; `GATEWAY` is a placeholder. */
export const byGateway = 'via GATEWAY dev eth0 onlink';

/** Creates all of it for the tests of a file, and removes it afterwards. */
export function useNeighbours(): Neighbours {
  const around = {} as Neighbours;
  let outsideWorld: AsyncDisposable | undefined;
  let listener: Listener | undefined;
  before(async () => {
    const incus = createIncusClient({ socketPath: incusSocket(), project: 'default' });
    around.incus = incus;
    outsideWorld = await bringOutside();
    // A deleted guest does not close its connections.
    listener = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .unref(),
    );
    const listening = listener;
    await new Promise<void>((resolve) => void listening.listen(0, '::', resolve));
    around.port = (listening.address() as { port: number }).port;
    const network = await incus.networks.get(incusNetwork());
    around.gateways = ['ipv4.address', 'ipv6.address'].map(
      (key) => network?.config[key]?.split('/')[0] ?? '',
    );
    [around.one, around.other] = await Promise.all([created(), created()]);
    Object.assign(around, reaching(around));
  });
  after(async () => {
    const servers = [around.one, around.other].filter((server) => server !== undefined);
    await Promise.all(servers.map(({ id }) => remove(id)));
    await around.incus?.close();
    listener?.close();
    await outsideWorld?.[Symbol.asyncDispose]();
  });
  return around;
}

function reaching({ one, other, gateways, port }: Neighbours) {
  return {
    closed: () => [
      ...at(gateways, port),
      ...at([...host.bridge, ...host.link], port),
      ...at([lan.ipv4, lan.ipv6, metadata], ports.http),
      ...at([outside.ipv4, outside.ipv6], ports.smtp),
      ...at(addressesOf(other), 22),
    ],
    from: (places: string[]) => reached(sshOf(one), places),
    async setRoutes(verb: 'add' | 'del', way: string) {
      for (const [server, neighbour] of [
        [one, other],
        [other, one],
      ] as const) {
        const routes = addressesOf(neighbour).map(
          (ip, family) =>
            `ip route ${verb} ${ip} ${way.replace('GATEWAY', gateways[family] ?? '')}`,
        );
        await ssh(sshOf(server), routes.join(' && '));
      }
    },
  };
}
