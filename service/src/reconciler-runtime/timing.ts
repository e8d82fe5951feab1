import { type After, afterTime } from '../lib/pause.ts';
import type { Schedule } from './define.ts';

/** The clock and timers; tests use their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  after: After;
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after: afterTime,
};

/** Calls `run` by the schedule until the returned function is called. `run` resolves at the end of the run. */
export function startTimer(
  { milliseconds, first = 'later', from = 'tick' }: Schedule,
  clock: Clock,
  run: () => Promise<void>,
): () => void {
  const beforeFirst = { now: 0, later: milliseconds, random: Math.random() * milliseconds };
  let isStopped = false;
  let cancel = clock.after(beforeFirst[first], tick);

  function tick(): void {
    const ended = run();
    if (from === 'tick') next();
    else ended.then(next, next);
  }

  function next(): void {
    if (isStopped) return;
    const since = from === 'clock' ? clock.now() % milliseconds : 0;
    cancel = clock.after(milliseconds - since, tick);
  }

  return () => {
    isStopped = true;
    cancel();
  };
}
