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
