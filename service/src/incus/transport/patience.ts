import { pause } from '../../lib/pause.ts';
import type { CallOptions } from './api.ts';
import { withDeadline } from './deadline.ts';
import { EngineError, isRefusal } from './errors.ts';

/**
 * The seconds at which a ping is sent, until there is a response. With 5 s between two rounds, a silent member is
 * detected within 15 s.
 */
const pingSeconds = [0, 3, 6];
/** The time after which a member that has not responded counts as silent. */
export const longestSeconds = 10;

/** The response time above which a member counts as slow. */
export const slowSeconds = 3;

interface LateOrNot<T> {
  answer: T;
  /** Whether the response took longer than `slowSeconds`. */
  isSlow: boolean;
}

/**
 * Sends three pings, and resolves with the first response. It may be the response to an earlier ping, so that a slow
 * member counts as reachable. Throws `EngineError` at once if a ping is refused (`isRefusal`) or fails permanently, and
 * otherwise after all have failed, or 10 s after the first.
 * @param ask sends one ping; its signal aborts after the response to another one
 */
export async function askPatiently<T>(
  ask: (options: CallOptions) => Promise<T>,
  signal: AbortSignal,
): Promise<LateOrNot<T>> {
  const begun = performance.now();
  const enough = new AbortController();
  const deadline = { what: 'Three pings', timeoutSeconds: longestSeconds, signal };
  try {
    return await withDeadline(deadline, async (inTime) => {
      inTime.addEventListener('abort', () => enough.abort(inTime.reason), { once: true });
      const options = { signal: enough.signal, timeoutSeconds: longestSeconds };
      const ping = async (seconds: number) => {
        if (seconds > 0) await pause(seconds * 1000, enough.signal);
        enough.signal.throwIfAborted();
        return await ask(options);
      };
      const answer = await firstAnswer(pingSeconds.map(ping));
      return { answer, isSlow: performance.now() - begun > slowSeconds * 1000 };
    });
  } finally {
    enough.abort();
  }
}

function firstAnswer<T>(asked: Promise<T>[]): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let failed = 0;
  for (const ping of asked) {
    ping.then(resolve, (error) => {
      failed += 1;
      const mayPass = error instanceof EngineError && error.retryable && !isRefusal(error);
      if (!mayPass || failed === asked.length) reject(error);
    });
  }
  return promise;
}
