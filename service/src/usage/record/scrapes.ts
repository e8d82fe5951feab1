import type { Counted } from './counters.ts';

/** GiB, and when that was read, in milliseconds since 1970. */
export interface ReadDisk {
  gb: number;
  at: number;
}

/** As the database knows it. */
export interface KnownServer {
  readonly uuid: string;
  readonly id: number;
  cores: number;
  disk: ReadDisk | undefined;
}

/** As it was counted last; `recorded` is 0 where it never was. */
export interface CountedServer extends KnownServer, Counted {
  /** Who told of it last. */
  nodeId: number;
  /** The rounds in which its figures of now were written, and it was looked up. */
  shownIn: number;
  foundIn: number;
}

/** What a node told last. */
export interface Scrape {
  /** Of `usage_readings`: another number is another scrape. */
  recorded: number;
  servers: CountedServer[];
}

/** Found in the database. */
export interface FoundServer extends KnownServer {
  /** As its figures of now have it; undefined where its card alone was read so far. */
  last: Counted | undefined;
  /** Whether it has figures of now that can be changed. */
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

/** So that its figures of now are no older than 45 s, and a minute where a scrape of its turn fails. */
const mostParts = 3;
/** So often a server is looked up, to see whether it is still there, and of that size. */
const roundsUntilFoundAnew = 20;

/**
 * What is remembered of the last scrapes of a location. The database has the same: this saves to read it
 * each time, and counts only while every row there is the one that is remembered. Whoever fails to write
 * down a change of it makes it forget all.
 */
export class ScrapeMemory {
  readonly byNode = new Map<number, Scrape>();
  /** Each is of the node that told of it last. */
  readonly byUuid = new Map<string, CountedServer>();
  #round = 0;
  #parts = 1;

  /** @param share of the servers whose figures of now are to be written in a round */
  beginRound(share: number): void {
    this.#round += 1;
    this.#parts = Math.min(mostParts, Math.ceil(1 / share));
  }

  /** Whether its figures of now are to be written in this round, and if so, notes that they are. */
  takesTurn(server: CountedServer): boolean {
    const rounds = this.#round - server.shownIn;
    if (rounds < this.#parts) return false;
    // Those that missed their turn together are spread again.
    server.shownIn = rounds === this.#parts ? this.#round : this.#spread(server.id, this.#parts);
    return true;
  }

  isToBeFound(uuid: string): boolean {
    const known = this.byUuid.get(uuid);
    return !known || this.#round - known.foundIn >= roundsUntilFoundAnew;
  }

  /** Notes how the database knows a server; its counters only where none are known yet. */
  noteFound({ cores, disk, last, ...server }: FoundServer): void {
    const known = this.byUuid.get(server.uuid);
    if (known) Object.assign(known, { cores, disk, foundIn: this.#round });
    else this.remember({ ...server, cores, disk, ...(last ?? neverCounted) }, nowhere);
  }

  remember(server: KnownServer & Counted, nodeId: number): CountedServer {
    const foundIn = this.#spread(server.id, roundsUntilFoundAnew);
    const counted = { ...server, nodeId, foundIn, shownIn: Number.NEGATIVE_INFINITY };
    this.byUuid.set(server.uuid, counted);
    return counted;
  }

  forget(): void {
    this.byNode.clear();
    this.byUuid.clear();
  }

  /** So many rounds ago at most: each server another number. */
  #spread = (id: number, rounds: number) => this.#round - (id % rounds);
}
