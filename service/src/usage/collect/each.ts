import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, withDeadline } from '../../incus/transport/deadline.ts';

/** Calls at once; each costs the engine about a millisecond. */
const concurrency = 8;

/** Works on all items, some at a time. One that fails stops no other: answers what they failed of. */
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
      await work(item).catch((error: unknown) => void errors.push(error));
    }
  }
  await Promise.all(Array.from({ length: concurrency }, next));
  return errors;
}

/** The same, until a deadline: what was not worked on by then is left. */
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
  /** As long as none of them takes its time. */
  atOnce: number;
  patienceMilliseconds: number;
}

/**
 * Works on all items, the next one when fewer than some are under way, or when that takes long: those that
 * take their time hold up the others for so long only. Answers as `each` does.
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
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }
  await Promise.all(underWay);
  return errors;
}
