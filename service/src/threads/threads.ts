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

/** The pool of the process. A create waits here for about 10 ms, a new password for up to 200 ms. */
const gate = createGate({ atOnce, mostWaiting: 200, longestWaitMs: 10_000 });

/**
 * A guest's password as its `/etc/shadow` keeps it. `asker` is the caller, for taking turns. Throws `unavailable` (503)
 * if too many callers wait.
 */
export async function hashGuestPassword(password: string, asker: string): Promise<string> {
  return (await run(asker, 'hashGuestPassword', password)) as string;
}

/**
 * Returns why a user's password is weak and what to do; undefined if it is strong. Throws as above.
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
  // A thread that is starting does not keep the process alive, even if the process waits for it.
  const held = setInterval(() => undefined, 60_000);
  try {
    return await gate.run(asker, () => threads.run(value, { name }));
  } finally {
    clearInterval(held);
  }
}
