import type { Found } from './define.ts';
import type { Outcome, Run, Running, RunObserver } from './observer.ts';

/** How a reconciler does where it runs; ages are in seconds. */
export interface Entry extends Running {
  everySeconds: number | null;
  /** How long the run under way, or the longest of several, has been; null: there is none. */
  runningFor: number | null;
  runs: number;
  last: LastRun | null;
  failures: number;
  lastFailure: { age: number; error: string } | null;
}

export interface LastRun {
  /** Since it began. */
  age: number;
  key: string;
  lagSeconds: number;
  seconds: number;
  outcome: Outcome;
  found: Found | null;
}

export interface Journal extends RunObserver {
  entries(): Entry[];
}

interface Kept
  extends Pick<Entry, 'reconciler' | 'location' | 'everySeconds' | 'runs' | 'failures'> {
  /** When the runs under way began, by their keys. */
  begun: Map<string, number>;
  last: { at: number; run: Run } | undefined;
  lastFailure: { at: number; error: string } | undefined;
}

const longestError = 500;

/**
 * Keeps in memory how the reconcilers of this process do.
 * @param next is told of everything, too
 */
export function createJournal(next: RunObserver, elapsed = () => performance.now()): Journal {
  const kept = new Map<string, Kept>();
  const nameOf = ({ reconciler, location }: Running) => JSON.stringify([reconciler, location]);
  const age = (at: number) => (elapsed() - at) / 1000;

  function entryOf({ begun, last, lastFailure, ...entry }: Kept): Entry {
    const ages = [...begun.values()].map(age);
    return {
      ...entry,
      runningFor: ages.length > 0 ? Math.max(...ages) : null,
      last: last ? { ...last.run, age: age(last.at), found: last.run.found ?? null } : null,
      lastFailure: lastFailure ? { age: age(lastFailure.at), error: lastFailure.error } : null,
    };
  }

  return {
    added(running, everySeconds) {
      const counts = { runs: 0, failures: 0, begun: new Map(), last: undefined };
      kept.set(nameOf(running), { ...running, everySeconds, ...counts, lastFailure: undefined });
      next.added(running, everySeconds);
    },
    began(running, key) {
      kept.get(nameOf(running))?.begun.set(key, elapsed());
      next.began(running, key);
    },
    ended(run) {
      const entry = kept.get(nameOf(run));
      if (entry) {
        const now = elapsed();
        entry.begun.delete(run.key);
        entry.runs += 1;
        entry.last = { at: now - run.seconds * 1000, run };
        if (run.outcome === 'failed') {
          entry.failures += 1;
          entry.lastFailure = { at: now, error: messageOf(run.error) };
        }
      }
      next.ended(run);
    },
    removed(running) {
      kept.delete(nameOf(running));
      next.removed(running);
    },
    entries: () => [...kept.values()].map(entryOf),
  };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, longestError);
}
