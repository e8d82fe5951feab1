import type { Counted } from './counters.ts';
import { NumberRows } from './number-rows.ts';

/** GiB, and when they were read, in milliseconds since 1970. */
export interface ReadDisk {
  gb: number;
  at: number;
}

/** A server as the database has it. */
export interface KnownServer {
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

/** Where each number of a server is in its row. A number that is unknown is NaN. */
const columns = {
  id: 0,
  cores: 1,
  diskGb: 2,
  diskAt: 3,
  nodeId: 4,
  foundIn: 5,
  recorded: 6,
  at: 7,
  cpuSeconds: 8,
  diskRead: 9,
  diskWritten: 10,
};
const width = Object.keys(columns).length;

/**
 * Servers by UUID, as a Map of objects would have them, but with their numbers in a typed array. A server takes 170 to
 * 290 bytes: 88 for its row, 56 for its UUID and 28 for its entry in the Map, of which the row and the entry take up to
 * twice as much after the array or the Map has grown.
 */
export class CountedServers {
  readonly #rows = new Map<string, number>();
  #numbers = new NumberRows(width);

  get size(): number {
    return this.#rows.size;
  }

  /** A copy, which takes effect with `set`. */
  get(uuid: string): CountedServer | undefined {
    const row = this.#rows.get(uuid);
    if (row === undefined) return undefined;
    const numbers = this.#numbers;
    const gb = numbers.get(row, columns.diskGb);
    return {
      id: numbers.get(row, columns.id),
      cores: numbers.get(row, columns.cores),
      disk: Number.isNaN(gb) ? undefined : { gb, at: numbers.get(row, columns.diskAt) },
      nodeId: numbers.get(row, columns.nodeId),
      foundIn: numbers.get(row, columns.foundIn),
      recorded: numbers.get(row, columns.recorded),
      at: numbers.get(row, columns.at),
      cpuSeconds: numbers.get(row, columns.cpuSeconds),
      diskRead: orNull(numbers.get(row, columns.diskRead)),
      diskWritten: orNull(numbers.get(row, columns.diskWritten)),
    };
  }

  /** The round in which a server was refreshed. */
  foundIn(uuid: string): number | undefined {
    const row = this.#rows.get(uuid);
    return row === undefined ? undefined : this.#numbers.get(row, columns.foundIn);
  }

  /** Keeps the UUID of a server that is not known yet: `copyText` says what must not be given. */
  set(uuid: string, server: CountedServer): void {
    const row = this.#rows.get(uuid) ?? this.#add(uuid);
    const numbers = this.#numbers;
    numbers.set(row, columns.id, server.id);
    numbers.set(row, columns.cores, server.cores);
    numbers.set(row, columns.diskGb, server.disk?.gb ?? Number.NaN);
    numbers.set(row, columns.diskAt, server.disk?.at ?? Number.NaN);
    numbers.set(row, columns.nodeId, server.nodeId);
    numbers.set(row, columns.foundIn, server.foundIn);
    numbers.set(row, columns.recorded, server.recorded);
    numbers.set(row, columns.at, server.at);
    numbers.set(row, columns.cpuSeconds, server.cpuSeconds);
    numbers.set(row, columns.diskRead, server.diskRead ?? Number.NaN);
    numbers.set(row, columns.diskWritten, server.diskWritten ?? Number.NaN);
  }

  delete(uuid: string): void {
    const row = this.#rows.get(uuid);
    if (row === undefined) return;
    this.#rows.delete(uuid);
    this.#numbers.remove(row);
  }

  /** Deletes the servers that one of these nodes reported last, unless that was in this record. */
  deleteUnreported(nodeIds: ReadonlySet<number>, recorded: number): void {
    const numbers = this.#numbers;
    for (const [uuid, row] of this.#rows) {
      const isOfNode = nodeIds.has(numbers.get(row, columns.nodeId));
      if (isOfNode && numbers.get(row, columns.recorded) !== recorded) this.delete(uuid);
    }
  }

  clear(): void {
    this.#rows.clear();
    this.#numbers = new NumberRows(width);
  }

  #add(uuid: string): number {
    const row = this.#numbers.add();
    this.#rows.set(uuid, row);
    return row;
  }
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);
