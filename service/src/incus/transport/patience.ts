import { pause } from '../../lib/pause.ts';
import type { CallOptions } from './api.ts';
import { withDeadline } from './deadline.ts';
import { EngineError, isRefusal } from './errors.ts';

/**
 * When it is looked, in seconds, while no look was answered. With the 5 s between two rounds of looks a
 * silent one is known as such within 15 s.
 */
const looks = [0, 3, 6];
/** Whoever has not answered by then is silent. */
export const longestSeconds = 10;

/** What takes longer to answer is slow. */
export const slowSeconds = 3;

interface LateOrNot<T> {
  answer: T;
  /** It took longer than `slowSeconds`. */
  isSlow: boolean;
}

/**
 * The first answer to three looks in a row: to an earlier one, too, so that who is only slow is heard.
 * Throws `EngineError` at once where one is refused (`isRefusal`) or fails for good, and else once all
 * have failed, or 10 s after the first.
 * @param ask begins one look; its signal aborts once another one was answered
 */
export async function askPatiently<T>(
  ask: (options: CallOptions) => Promise<T>,
  signal: AbortSignal,
): Promise<LateOrNot<T>> {
  const begun = performance.now();
  const enough = new AbortController();
  const deadline = { what: 'Three looks', timeoutSeconds: longestSeconds, signal };
  try {
    return await withDeadline(deadline, async (inTime) => {
      inTime.addEventListener('abort', () => enough.abort(inTime.reason), { once: true });
      const options = { signal: enough.signal, timeoutSeconds: longestSeconds };
      const look = async (seconds: number) => {
        if (seconds > 0) await pause(seconds * 1000, enough.signal);
        return await ask(options);
      };
      const answer = await firstAnswer(looks.map(look));
      return { answer, isSlow: performance.now() - begun > slowSeconds * 1000 };
    });
  } finally {
    enough.abort();
  }
}

function firstAnswer<T>(asked: Promise<T>[]): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let failed = 0;
  for (const look of asked) {
    look.then(resolve, (error) => {
      failed += 1;
      const mayPass = error instanceof EngineError && error.retryable && !isRefusal(error);
      if (!mayPass || failed === asked.length) reject(error);
    });
  }
  return promise;
}
