import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const firstPauseMs = 10;
/** Polling takes time from what is polled, so long waits poll less often. */
const longestPauseMs = 200;
const growth = 1.2;
/** When a condition is given up, in seconds. A mutation run sets less, as it has many that never hold. */
const patienceSeconds = Number(process.env.BERTH_TEST_PATIENCE_SECONDS ?? 60);
/** The values that `Boolean` converts to false. */
type Nothing = false | null | undefined | 0 | '';

/**
 * Calls `look` until `isSo` accepts what it returns, by default anything truthy, and returns that. After `seconds` it
 * throws an error that says what was waited for and what was seen last. An error that `look` throws ends the wait.
 *
 * @param what the condition, as it follows the word "until": `the queue is empty`
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, Nothing>>;
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean,
  seconds?: number,
): Promise<T>;
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean = Boolean,
  seconds = patienceSeconds,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (let pauseMs = firstPauseMs; ; pauseMs = longer(pauseMs)) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) {
      throw new Error(`Waited ${seconds} s in vain until ${what}. Last seen: ${inspect(seen)}`);
    }
    await sleep(pauseMs);
  }
}

/** Waits until `count` has returned the same number twice, 300 ms apart. */
export async function untilUnchanged(what: string, count: () => number): Promise<void> {
  let before: number | undefined;
  await until(`${what} does not change any more`, async () => {
    const isUnchanged = count() === before;
    before = count();
    if (!isUnchanged) await sleep(300);
    return isUnchanged;
  });
}

const longer = (pauseMs: number) => Math.min(pauseMs * growth, longestPauseMs);

/**
 * Calls `check` until it throws nothing, and returns its result. It is for conditions that are best written as
 * assertions. After `seconds` it throws an error that says what `check` threw last.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  seconds = patienceSeconds,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (let pauseMs = firstPauseMs; ; pauseMs = longer(pauseMs)) {
    try {
      return await check();
    } catch (cause) {
      if (performance.now() > end) {
        const seen = cause instanceof Error ? cause.message : inspect(cause);
        throw new Error(`Waited ${seconds} s in vain. Last seen: ${seen}`, { cause });
      }
    }
    await sleep(pauseMs);
  }
}
