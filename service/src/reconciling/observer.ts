import type { Found } from './define.ts';

export const outcomes = ['succeeded', 'failed', 'aborted'] as const;
export type Outcome = (typeof outcomes)[number];

/** A reconciler where it runs. */
export interface Running {
  reconciler: string;
  /** The name of the location that it is about; empty: the installation, or this service. */
  location: string;
}

export interface Run extends Running {
  /** What it was about, of several things that the reconciler keeps; else `all`. */
  key: string;
  /** From when it was asked for until it began. */
  lagSeconds: number;
  /** Its tries, and the pauses between them, included. */
  seconds: number;
  outcome: Outcome;
  /** Absent where it tells nothing. */
  found: Found | undefined;
  /** Of a run that failed. */
  error: unknown;
}

/** Told of all runs of a process. */
export interface RunObserver {
  /** It runs here from now on: so often, in seconds; null: only when it is told to. */
  added(running: Running, everySeconds: number | null): void;
  began(running: Running, key: string): void;
  ended(run: Run): void;
  removed(running: Running): void;
}
