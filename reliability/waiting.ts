import { setTimeout as sleep } from 'node:timers/promises';

/** What is checked is so all the time. */
export async function throughout(milliseconds: number, check: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await check();
    await sleep(20);
  }
}
