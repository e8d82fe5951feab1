import { Piscina } from 'piscina';
import { createGate } from './gate.ts';
import type { NewPassword } from './work.ts';

const atOnce = 2;
const threads = new Piscina<unknown, unknown>({
  filename: new URL('./work.ts', import.meta.url).href,
  minThreads: 0,
  maxThreads: atOnce,
  // The dictionaries of a thread take a moment to load.
  idleTimeout: 60_000,
});

/** For the whole process. A create waits here for about 10 ms, a new password for up to 200. */
const gate = createGate({ atOnce, mostWaiting: 200, longestWaitMs: 10_000 });

/**
 * A guest's password as its `/etc/shadow` keeps it. `asker` is who waits in turn with others. Throws
 * `unavailable` (503) when too many wait for it.
 */
export async function hashGuestPassword(password: string, asker: string): Promise<string> {
  return (await run(asker, 'hashGuestPassword', password)) as string;
}

/**
 * What is weak about a user's password and what to do; undefined if it is strong. Throws as above.
 */
export async function weaknessOfPassword(
  of: NewPassword,
  asker: string,
): Promise<string | undefined> {
  return (await run(asker, 'weaknessOfPassword', of)) as string | undefined;
}

async function run(
  asker: string,
  name: keyof typeof import('./work.ts'),
  value: unknown,
): Promise<unknown> {
  // A thread that only starts keeps no process alive, not even one that waits for it.
  const held = setInterval(() => undefined, 60_000);
  try {
    return await gate.run(asker, () => threads.run(value, { name }));
  } finally {
    clearInterval(held);
  }
}
