import type { EngineAddress } from '../db/schema/schema.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { CallObserver } from '../incus/transport/api.ts';
import type { IncusConnection } from '../incus/transport/connection.ts';
import type { ClientIdentity } from './identity.ts';

export interface EngineLocation {
  id: number;
  engine: EngineAddress;
  incus_project: string;
}

/** One client per location, which is kept until its address changes. */
export interface Engines {
  /** The identity for locations over HTTPS. It may change while the service runs. */
  identity: ClientIdentity | undefined;
  of(location: EngineLocation): IncusClient;
  close(): Promise<void>;
}

interface EnginesOptions {
  identity?: ClientIdentity | undefined;
  /** Gets each call to any of the engines. */
  observe?: CallObserver;
}

export function createEngines({ identity, observe }: EnginesOptions = {}): Engines {
  const clients = new Map<number, { client: IncusClient; way: string }>();
  return {
    identity,
    of(location) {
      const way = wayTo(location, this.identity);
      const known = clients.get(location.id);
      if (known?.way === way) return known.client;
      const connection = connectionOf(location, this.identity);
      const project = location.incus_project;
      const client = createIncusClient({ ...connection, project, observe });
      clients.set(location.id, { client, way });
      // A call in progress fails as if the engine were unreachable, and is retried.
      known?.client.close().catch(() => undefined);
      return client;
    },
    async close() {
      await Promise.all([...clients.values()].map(({ client }) => client.close()));
    },
  };
}

/** A key that changes when a location is reached in another way. */
export function wayTo(
  { engine, incus_project }: EngineLocation,
  identity: ClientIdentity | undefined,
): string {
  const by = 'socket_path' in engine ? null : identity?.clientCert;
  return JSON.stringify([engine, incus_project, by]);
}

/** Throws if a location needs a certificate and there is none. */
export function connectionOf(
  { engine }: Pick<EngineLocation, 'engine'>,
  identity: ClientIdentity | undefined,
): IncusConnection {
  if ('socket_path' in engine) return { socketPath: engine.socket_path };
  if (!identity) throw new Error('A location over HTTPS needs a client certificate.');
  return { urls: engine.urls, serverCert: engine.server_cert, ...identity };
}
