import type { Found } from './define.ts';

export const outcomes = ['succeeded', 'failed', 'aborted'] as const;
export type Outcome = (typeof outcomes)[number];

/** A reconciler of a runner. Observers may compare it by identity: each runner makes its own. */
export interface Registered {
  reconciler: string;
  /** The name of its location; empty if it is about the installation or this service. */
  location: string;
}

export interface Run {
  /** The key of the object that it was about; otherwise `all`. */
  key: string;
  /** The time between the trigger and the beginning of the run. */
  lagSeconds: number;
  /** The duration, including retries and the pauses before them. */
  seconds: number;
  outcome: Outcome;
  /** Undefined if the reconciler counts nothing, or the run failed. */
  found: Found | undefined;
  /** The error of a failed run. */
  error: unknown;
}

/** Receives all runs of a process. */
export interface RunObserver {
  /** The reconciler runs here from now on, at this interval; null means only when triggered. */
  added(registered: Registered, everySeconds: number | null): void;
  began(registered: Registered, key: string): void;
  ended(registered: Registered, run: Run): void;
  removed(registered: Registered): void;
}
