import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, withDeadline } from '../../incus/transport/deadline.ts';

/** Concurrent calls; each costs the engine about a millisecond. */
const concurrency = 8;

/**
 * Runs `work` for all items, with limited concurrency. An error does not stop the others. Returns
 * the errors.
 */
export async function each<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const errors: unknown[] = [];
  const queue = [...items].values();
  async function next(): Promise<void> {
    for (const item of queue) {
      if (signal?.aborted) return;
      await work(item).catch((error: unknown) => {
        errors.push(error);
      });
    }
  }
  await Promise.all(Array.from({ length: concurrency }, next));
  return errors;
}

/** Like `each`, but until a deadline: items that were not started by then are skipped. */
export async function eachWithin<T>(
  deadline: Deadline,
  items: Iterable<T>,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<unknown[]> {
  return await withDeadline(deadline, (signal) =>
    each(items, (item) => work(item, signal), signal),
  );
}

interface Pace {
  /** The concurrency, as long as calls are fast. */
  atOnce: number;
  patienceMilliseconds: number;
}

/**
 * Runs `work` for all items. The next one starts when fewer than `atOnce` are in progress, or when
 * these take longer than the patience: slow ones delay the others only that long. Returns the
 * errors.
 */
export async function eachInPace<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  { atOnce, patienceMilliseconds }: Pace,
): Promise<unknown[]> {
  const errors: unknown[] = [];
  const underWay = new Set<Promise<void>>();
  for (const item of items) {
    if (underWay.size >= atOnce) await Promise.race([...underWay, sleep(patienceMilliseconds)]);
    const one = work(item)
      .catch((error: unknown) => {
        errors.push(error);
      })
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }
  await Promise.all(underWay);
  return errors;
}
