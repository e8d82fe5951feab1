import { type Logger, pino } from 'pino';
import type { EngineAddress } from '../db/schema/schema.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { CallObserver } from '../incus/transport/api.ts';
import type { IncusConnection } from '../incus/transport/connection.ts';
import { connectionTrouble } from '../incus/transport/errors.ts';
import { createEngineOutage, type EngineOutage } from '../incus/transport/outage.ts';
import type { SharedOutage } from '../lib/outage.ts';
import type { ClientIdentity } from './identity.ts';

export interface EngineLocation {
  id: number;
  name: string;
  engine: EngineAddress;
  incus_project: string;
}

/** One client per location, which is kept until its address changes. */
export interface Engines {
  /** The identity for locations over HTTPS. It may change while the service runs. */
  identity: ClientIdentity | undefined;
  of(location: EngineLocation): IncusClient;
  /** Gets how all calls to a location end, and may be told more. */
  outageOf(location: Pick<EngineLocation, 'id' | 'name'>): SharedOutage;
  close(): Promise<void>;
}

interface EnginesOptions {
  identity?: ClientIdentity | undefined;
  /** Gets each call to any of the engines. */
  observe?: CallObserver;
  /** Has when a location becomes unreachable, and reachable again. */
  log?: Logger;
}

interface Known {
  client: IncusClient;
  way: string;
  close(): Promise<void>;
}

export function createEngines(options: EnginesOptions = {}): Engines {
  const { observe, log = pino({ enabled: false }) } = options;
  const clients = new Map<number, Known>();
  const outages = new Map<number, { about: { location: string }; outage: EngineOutage }>();

  function outageOf({ id, name }: Pick<EngineLocation, 'id' | 'name'>): EngineOutage {
    const known = outages.get(id);
    if (known) {
      known.about.location = name;
      return known.outage;
    }
    const about = { location: name };
    const outage = createEngineOutage(log, about);
    outages.set(id, { about, outage });
    return outage;
  }

  function connect(location: EngineLocation, connection: IncusConnection): Omit<Known, 'way'> {
    let isClosed = false;
    const outage = outageOf(location);
    const client = createIncusClient({
      ...{ ...connection, project: location.incus_project },
      observe(call) {
        observe?.(call);
        // A call in progress fails as if the engine were unreachable.
        if (!isClosed) outage.observe(call);
      },
    });
    return {
      client,
      async close() {
        isClosed = true;
        await client.close();
      },
    };
  }

  return {
    identity: options.identity,
    outageOf,
    of(location) {
      const way = wayTo(location, this.identity);
      const known = clients.get(location.id);
      if (known?.way === way) return known.client;
      const made = connect(location, connectionOf(location, this.identity));
      clients.set(location.id, { ...made, way });
      // A call in progress is retried.
      known?.close().catch(() => undefined);
      return made.client;
    },
    async close() {
      await Promise.all([...clients.values()].map(({ close }) => close()));
    },
  };
}

/** Why an engine did not answer a call, in words for anybody; undefined if it did, or may not be used. */
export const whyUnanswered = (error: unknown): string | undefined => connectionTrouble(error);

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
