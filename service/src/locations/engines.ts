import type { EngineAddress } from '../db/schema.ts';
import type { CallObserver } from '../incus/api.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { IncusConnection } from '../incus/connection.ts';

/** The client's certificate and key, PEM, for locations reached over HTTPS. */
export interface ClientIdentity {
  clientCert: string;
  clientKey: string;
}

export interface EngineLocation {
  id: number;
  engine: EngineAddress;
  incus_project: string;
}

/** One client a location, kept as long as the service runs. */
export interface Engines {
  identity: ClientIdentity | undefined;
  of(location: EngineLocation): IncusClient;
  close(): Promise<void>;
}

interface EnginesOptions {
  identity?: ClientIdentity;
  /** Told of each call to any of them. */
  observe?: CallObserver;
}

export function createEngines({ identity, observe }: EnginesOptions = {}): Engines {
  const clients = new Map<number, IncusClient>();
  return {
    identity,
    of(location) {
      const known = clients.get(location.id);
      if (known) return known;
      const connection = connectionOf(location, identity);
      const client = createIncusClient({
        ...connection,
        project: location.incus_project,
        observe,
      });
      clients.set(location.id, client);
      return client;
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

export function connectionOf(
  { engine }: EngineLocation,
  identity?: ClientIdentity,
): IncusConnection {
  if ('socket_path' in engine) return { socketPath: engine.socket_path };
  if (!identity) throw new Error('A location over HTTPS needs a client certificate.');
  return { urls: engine.urls, serverCert: engine.server_cert, ...identity };
}
