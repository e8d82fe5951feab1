import type { Found } from './define.ts';
import type { Outcome, Registered, Run, RunObserver } from './observer.ts';

/** The status of a reconciler in this process; ages are in seconds. */
export interface ReconcilerStatus extends Registered {
  everySeconds: number | null;
  /**
   * How long the run in progress has taken so far, or the longest of several; null if there is
   * none.
   */
  runningFor: number | null;
  runs: number;
  last: LastRun | null;
  failures: number;
  lastFailure: { age: number; error: string } | null;
}

export interface LastRun {
  /** Seconds since it began. */
  age: number;
  key: string;
  lagSeconds: number;
  seconds: number;
  outcome: Outcome;
  found: Found | null;
}

export interface StatusRecorder extends RunObserver {
  statuses(): ReconcilerStatus[];
}

interface Entry {
  registered: Registered;
  everySeconds: number | null;
  /** When the runs in progress began, by key. */
  begun: Map<string, number>;
  runs: number;
  last: { at: number; run: Run } | undefined;
  failures: number;
  lastFailure: { at: number; error: string } | undefined;
}

const longestError = 500;

/**
 * Keeps the status of the reconcilers of this process in memory.
 * @param next receives everything too
 * @param elapsed a monotonic clock in milliseconds
 */
export function recordStatuses(
  next: RunObserver,
  elapsed = () => performance.now(),
): StatusRecorder {
  const entries = new Map<string, Entry>();
  const keyOf = ({ reconciler, location }: Registered) => JSON.stringify([reconciler, location]);
  const age = (at: number) => (elapsed() - at) / 1000;

  /**
   * Undefined if a newer entry has replaced it: the location was removed, and added again before
   * its runs had ended.
   */
  function entryOf(registered: Registered): Entry | undefined {
    const entry = entries.get(keyOf(registered));
    return entry?.registered === registered ? entry : undefined;
  }

  function statusOf({ registered, begun, last, lastFailure, ...counts }: Entry): ReconcilerStatus {
    const ages = [...begun.values()].map(age);
    return {
      ...registered,
      ...counts,
      runningFor: ages.length > 0 ? Math.max(...ages) : null,
      last: last ? lastRun(last.run, age(last.at)) : null,
      lastFailure: lastFailure ? { age: age(lastFailure.at), error: lastFailure.error } : null,
    };
  }

  return {
    added(registered, everySeconds) {
      entries.set(keyOf(registered), {
        ...{ registered, everySeconds, begun: new Map() },
        ...{ runs: 0, last: undefined, failures: 0, lastFailure: undefined },
      });
      next.added(registered, everySeconds);
    },
    began(registered, key) {
      entryOf(registered)?.begun.set(key, elapsed());
      next.began(registered, key);
    },
    ended(registered, run) {
      const entry = entryOf(registered);
      if (entry) enter(entry, run, elapsed());
      next.ended(registered, run);
    },
    removed(registered) {
      if (entryOf(registered)) entries.delete(keyOf(registered));
      next.removed(registered);
    },
    statuses: () => [...entries.values()].map(statusOf),
  };
}

function enter(entry: Entry, run: Run, at: number): void {
  entry.begun.delete(run.key);
  entry.runs += 1;
  entry.last = { at: at - run.seconds * 1000, run };
  if (run.outcome !== 'failed') return;
  entry.failures += 1;
  entry.lastFailure = { at, error: messageOf(run.error) };
}

function lastRun({ key, lagSeconds, seconds, outcome, found }: Run, age: number): LastRun {
  return { age, key, lagSeconds, seconds, outcome, found: found ?? null };
}

/** Removes characters that PostgreSQL refuses in JSON. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll('\0', '').slice(0, longestError).toWellFormed();
}
