import { CountedServers, type KnownServer } from './counted-servers.ts';
import type { Counted } from './counters.ts';

/** The last report of a node. */
interface Scrape {
  /** From `usage_readings`: another number is another scrape. */
  recorded: number;
  /** The number of servers in it. */
  count: number;
}

/** A server that was found in the database. */
export interface FoundServer extends KnownServer {
  readonly uuid: string;
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
  readonly servers = new CountedServers();
  #round = 0;

  beginRound(): void {
    this.#round += 1;
  }

  needsLookup(uuid: string): boolean {
    const foundIn = this.servers.foundIn(uuid);
    return foundIn === undefined || this.#round - foundIn >= refreshRounds;
  }

  /** Updates a server from the database; its counters only if none are known yet. */
  rememberFound({ uuid, id, cores, disk, last }: FoundServer): void {
    const known = this.servers.get(uuid);
    if (known) this.servers.set(uuid, { ...known, cores, disk, foundIn: this.#round });
    else this.remember(uuid, { id, cores, disk, ...(last ?? neverCounted) }, nowhere);
  }

  remember(uuid: string, server: KnownServer & Counted, nodeId: number): void {
    // Spread over the rounds by id, so that servers are not all refreshed in the same round.
    const foundIn = this.#round - (server.id % refreshRounds);
    this.servers.set(uuid, { ...server, nodeId, foundIn });
  }

  forget(): void {
    this.byNode.clear();
    this.servers.clear();
  }
}
