import type { Counted } from './counters.ts';

/** GiB, and when they were read, in milliseconds since 1970. */
export interface ReadDisk {
  gb: number;
  at: number;
}

/** A server as the database has it. */
export interface KnownServer {
  readonly uuid: string;
  readonly id: number;
  cores: number;
  disk: ReadDisk | undefined;
}

/** The counters that were recorded last; `recorded` is 0 if there are none. */
export interface CountedServer extends KnownServer, Counted {
  /** The node that reported it last. */
  nodeId: number;
  /** The round in which it was refreshed. */
  foundIn: number;
}

/** The last report of a node. */
export interface Scrape {
  /** From `usage_readings`: another number is another scrape. */
  recorded: number;
  servers: CountedServer[];
}

/** A server that was found in the database. */
export interface FoundServer extends KnownServer {
  /** The counters in its current figures; undefined if only its NIC was read so far. */
  last: Counted | undefined;
  /** Whether it has current figures to update. */
  isShown: boolean;
}

const neverCounted: Counted = {
  recorded: 0,
  at: 0,
  cpuSeconds: 0,
  diskRead: null,
  diskWritten: null,
};
const nowhere = 0;

/** After so many rounds, a server is refreshed: it may have been deleted or resized. */
const refreshRounds = 20;

/**
 * A cache of the last scrapes of a location, so that they need not be read each time. It is valid
 * only while every row in the database is the cached one. A process that fails to write a change
 * must clear it.
 */
export class ScrapeMemory {
  readonly byNode = new Map<number, Scrape>();
  /** Each server belongs to the node that reported it last. */
  readonly byUuid = new Map<string, CountedServer>();
  #round = 0;

  beginRound(): void {
    this.#round += 1;
  }

  needsLookup(uuid: string): boolean {
    const known = this.byUuid.get(uuid);
    return !known || this.#round - known.foundIn >= refreshRounds;
  }

  /** Updates a server from the database; its counters only if none are known yet. */
  rememberFound({ cores, disk, last, ...server }: FoundServer): void {
    const known = this.byUuid.get(server.uuid);
    if (known) Object.assign(known, { cores, disk, foundIn: this.#round });
    else this.remember({ ...server, cores, disk, ...(last ?? neverCounted) }, nowhere);
  }

  remember(server: KnownServer & Counted, nodeId: number): CountedServer {
    // Spread over the rounds by id, so that servers are not all refreshed in the same round.
    const foundIn = this.#round - (server.id % refreshRounds);
    const counted = { ...server, nodeId, foundIn };
    this.byUuid.set(server.uuid, counted);
    return counted;
  }

  forget(): void {
    this.byNode.clear();
    this.byUuid.clear();
  }
}
