import { setTimeout as sleep } from 'node:timers/promises';

/** Checks a condition continuously. */
export async function throughout(milliseconds: number, check: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await check();
    await sleep(20);
  }
}
