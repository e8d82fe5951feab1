import type { Found } from './define.ts';

export const outcomes = ['succeeded', 'failed', 'aborted'] as const;
export type Outcome = (typeof outcomes)[number];

/** A reconciler of a runner. Observers may compare it by identity: each runner makes its own. */
export interface Registered {
  reconciler: string;
  /** The name of the location that it is about; empty: the installation, or this service. */
  location: string;
}

export interface Run {
  /** Which of several things it was about; else `all`. */
  key: string;
  /** From when it was triggered until it began. */
  lagSeconds: number;
  /** With its retries and the pauses before them. */
  seconds: number;
  outcome: Outcome;
  /** Undefined where the reconciler counts nothing, or the run did not succeed. */
  found: Found | undefined;
  /** Of a run that failed. */
  error: unknown;
}

/** Told of all runs of a process. */
export interface RunObserver {
  /** It runs here from now on, each so many seconds; null: only when it is triggered. */
  added(registered: Registered, everySeconds: number | null): void;
  began(registered: Registered, key: string): void;
  ended(registered: Registered, run: Run): void;
  removed(registered: Registered): void;
}
