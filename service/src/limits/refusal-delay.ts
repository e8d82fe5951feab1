import { setTimeout as sleep } from 'node:timers/promises';

/** For refusals of what costs the service much to try again, and whose `Retry-After` is 2 s. */
export const costlyDelayMs = 1000;

/**
 * Delays a refusal by a random time. Clients that wait for `Retry-After` lose nothing by it, and those that retry at once
 * do so far less often. It is random so that requests that came together do not return together.
 * @param most in milliseconds; the delay is at least a third of it
 */
export async function delayRefusal(most = 300): Promise<void> {
  await sleep((most * (1 + 2 * Math.random())) / 3);
}
