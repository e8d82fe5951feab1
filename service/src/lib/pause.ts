import { setImmediate } from 'node:timers/promises';

/** Resolves after that time, or at once when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // The timers of `node:timers/promises` create an error with a stack for each aborted one.
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const timer = setTimeout(stop, milliseconds);
  signal.addEventListener('abort', stop, { once: true });
  await promise;
  signal.removeEventListener('abort', stop);
  clearTimeout(timer);
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
