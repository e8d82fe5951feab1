import type { Piscina } from 'piscina';
import type { ApiReference } from './api-reference.ts';
import { createGate } from './gate.ts';
import type { NewPassword } from './work.ts';

const atOnce = 2;
let pool: Promise<Piscina<unknown, unknown>> | undefined;

/** The library is loaded for the first task. */
async function createThreads(): Promise<Piscina<unknown, unknown>> {
  const { Piscina: Threads } = await import('piscina');
  return new Threads({
    filename: new URL('./work.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: atOnce,
    // The dictionaries of a thread take a moment to load.
    idleTimeout: 60_000,
  });
}

/** The pool of the process. A create waits here for about 10 ms, a new password for up to 200 ms. */
const gate = createGate({ atOnce, mostWaiting: 200, longestWaitMs: 10_000 });

/**
 * A guest's password as its `/etc/shadow` keeps it. `asker` is the caller, for taking turns. Throws `unavailable` (503)
 * if too many callers wait.
 */
export async function hashGuestPassword(password: string, asker: string): Promise<string> {
  return (await gate.run(asker, () => run('hashGuestPassword', password))) as string;
}

/**
 * Returns why a user's password is weak and what to do; undefined if it is strong. Throws as above.
 */
export async function weaknessOfPassword(
  of: NewPassword,
  asker: string,
): Promise<string | undefined> {
  return (await gate.run(asker, () => run('weaknessOfPassword', of))) as string | undefined;
}

/**
 * Renders the documentation of the API, whose document is at `url`. This runs on a thread, whose memory is freed when it
 * ends.
 */
export async function renderApiReference(url: string): Promise<ApiReference> {
  return (await run('renderApiReference', url)) as ApiReference;
}

async function run(name: keyof typeof import('./work.ts'), value: unknown): Promise<unknown> {
  // A thread that is starting does not keep the process alive, even if the process waits for it.
  const held = setInterval(() => undefined, 60_000);
  try {
    pool ??= createThreads();
    const threads = await pool;
    return await threads.run(value, { name });
  } finally {
    clearInterval(held);
  }
}
