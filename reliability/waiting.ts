import { setTimeout as sleep } from 'node:timers/promises';

/** As good as for ever: what is waited for comes sooner, on a machine that has other work, too. */
export const longestMs = 60_000;

/** Looks until what is checked is so; throws what the last look showed when the time is over. */
export async function within(
  milliseconds: number,
  check: () => Promise<void>,
  everyMs = 20,
): Promise<void> {
  const end = performance.now() + milliseconds;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(everyMs);
  }
}

/** What is checked is so all the time. */
export async function throughout(milliseconds: number, check: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await check();
    await sleep(20);
  }
}
