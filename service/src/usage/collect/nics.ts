import { NumberRows } from '../record/number-rows.ts';

/** The host's end of an instance's NIC, where the traffic of a run is counted. */
export interface Nic {
  /** The interface on the host. */
  hostName: string;
  /**
   * The name of the interface, a space, and the time at which the run began. Incus records the time a moment after the
   * name.
   */
  run: string;
  startedAt: Date;
}

/**
 * Bytes that passed the NIC since the run began, as the guest sees them, on layer 2: a transfer
 * over TCP counts about 0.1 % more than its payload.
 */
export interface NetworkReading extends Pick<Nic, 'run' | 'startedAt'> {
  networkIn: number;
  networkOut: number;
}

/** A NIC with its counters. */
export type NicReading = Nic & NetworkReading;

/** The NIC of a run. `startedAt` is an invalid date if the run has none. */
export function nicOf(run: string): Nic {
  // The names of interfaces have no spaces.
  const nameEnd = run.indexOf(' ');
  return { hostName: run.slice(0, nameEnd), run, startedAt: new Date(run.slice(nameEnd + 1)) };
}

const columns = { networkIn: 0, networkOut: 1 };

/**
 * The last known NICs by instance, since Incus creates a new interface for each run. They are in the order of a Map: the
 * one that was read the longest ago comes first, so that failing NICs do not prevent others from being read. A NIC takes
 * 170 to 220 bytes: 56 for the name of the instance, 28 for its entry in the Map, 64 for the run, and 24 for the
 * counters and the place of the run. The Map and the arrays take up to twice as much after they have grown.
 */
export class Nics {
  readonly #rows = new Map<string, number>();
  readonly #counters = new NumberRows(2);
  /** The run of each row; undefined if no NIC was found. */
  readonly #runs: (string | undefined)[] = [];

  has(name: string): boolean {
    return this.#rows.has(name);
  }

  /** The names of the instances. */
  keys(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Undefined also if the instance had no NIC. */
  get(name: string): NicReading | undefined {
    const row = this.#rows.get(name);
    if (row === undefined) return undefined;
    const run = this.#runs[row];
    if (run === undefined) return undefined;
    const networkIn = this.#counters.get(row, columns.networkIn);
    const networkOut = this.#counters.get(row, columns.networkOut);
    return { ...nicOf(run), networkIn, networkOut };
  }

  /** Keeps the name of an instance that is not known yet: `copyText` says what must not be given. */
  set(name: string, reading: NicReading | undefined): void {
    const row = this.#rows.get(name) ?? this.#add(name);
    this.#runs[row] = reading?.run;
    this.#counters.set(row, columns.networkIn, reading?.networkIn ?? 0);
    this.#counters.set(row, columns.networkOut, reading?.networkOut ?? 0);
  }

  delete(name: string): void {
    const row = this.#rows.get(name);
    if (row === undefined) return;
    this.#rows.delete(name);
    this.#runs[row] = undefined;
    this.#counters.remove(row);
  }

  #add(name: string): number {
    const row = this.#counters.add();
    this.#rows.set(name, row);
    return row;
  }
}
