import { setImmediate } from 'node:timers/promises';

/** Calls back after that time, unless the returned function was called. */
export type After = (milliseconds: number, callback: () => void) => () => void;

/** Uses the timers of the process. */
export const afterTime: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * Resolves after that time, or at once when the signal aborts.
 * @param after the timers; tests use their own
 */
export async function pause(
  milliseconds: number,
  signal: AbortSignal,
  after = afterTime,
): Promise<void> {
  if (signal.aborted) return;
  // The timers of `node:timers/promises` create an error with a stack for each aborted one.
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const cancel = after(milliseconds, stop);
  signal.addEventListener('abort', stop, { once: true });
  await promise;
  signal.removeEventListener('abort', stop);
  cancel();
}

/** The time that one part of long work may take, so that nothing blocks the event loop for 20 ms. */
const partMilliseconds = 5;

/** Calls `work` for each item in order, with a pause for other work after every 5 ms. */
export async function eachWithPauses<T>(
  items: Iterable<T>,
  work: (item: T) => void,
): Promise<void> {
  let begun = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - begun < partMilliseconds) continue;
    await setImmediate();
    begun = performance.now();
  }
}
