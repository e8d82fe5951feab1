import pLimit from 'p-limit';
import { pause } from '../lib/pause.ts';

interface Limits {
  /** How much work runs at the same time, as long as it is fast. */
  atOnce: number;
  /** Work that takes longer counts no more, so that what is slow delays the rest only so long. */
  patienceMilliseconds: number;
}

/** Runs work as soon as there is room for it, in the order of the calls. Returns its result. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a limit for the work of one kind. What is read of engines is large, and reading it from all locations at once
 * would need the memory for all of them.
 */
export function createPace({ atOnce, patienceMilliseconds }: Limits): Pace {
  const limit = pLimit(atOnce);
  return async (work) =>
    await new Promise((resolve, reject) => {
      limit(async () => {
        const ended = new AbortController();
        const working = work().finally(() => ended.abort());
        working.then(resolve, reject);
        await pause(patienceMilliseconds, ended.signal);
      }).catch(reject);
    });
}
