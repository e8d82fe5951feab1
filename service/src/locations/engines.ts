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

/** One client a location, kept until it is reached in another way. */
export interface Engines {
  /** How locations over HTTPS know us. May change while the service runs. */
  identity: ClientIdentity | undefined;
  of(location: EngineLocation): IncusClient;
  close(): Promise<void>;
}

interface EnginesOptions {
  identity?: ClientIdentity | undefined;
  /** Told of each call to any of them. */
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
      // Who was in the midst of a call is told that the engine can't be reached, and tries again.
      known?.client.close().catch(() => undefined);
      return client;
    },
    async close() {
      await Promise.all([...clients.values()].map(({ client }) => client.close()));
    },
  };
}

/** Alike for as long as a location is reached in the same way. */
export function wayTo(
  { engine, incus_project }: EngineLocation,
  identity: ClientIdentity | undefined,
): string {
  const by = 'socket_path' in engine ? null : identity?.clientCert;
  return JSON.stringify([engine, incus_project, by]);
}

/** Throws where a location needs a certificate and there is none. */
export function connectionOf(
  { engine }: Pick<EngineLocation, 'engine'>,
  identity: ClientIdentity | undefined,
): IncusConnection {
  if ('socket_path' in engine) return { socketPath: engine.socket_path };
  if (!identity) throw new Error('A location over HTTPS needs a client certificate.');
  return { urls: engine.urls, serverCert: engine.server_cert, ...identity };
}
