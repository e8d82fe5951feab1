import { setTimeout as sleep } from 'node:timers/promises';

/** Throws the reason of the signal if it is aborted meanwhile. */
export async function pauseFor(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal });
}
