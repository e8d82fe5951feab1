import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after that time, or at once when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.max(0, milliseconds), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
