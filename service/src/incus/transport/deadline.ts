import { EngineError, wordsFor } from './errors.ts';

export interface Deadline {
  /** The name of the call in the error. */
  what: string;
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
}

/**
 * The number of parts of the timeout. While this process is blocked, at most one part passes, regardless of the time,
 * because the response may have arrived in the meantime.
 */
const parts = 4;

/**
 * Runs `run` until it ends. Throws `EngineError` `timeout` after the timeout, and the reason of the signal if it
 * aborts. `touch` restarts the timeout.
 */
export async function withDeadline<T>(
  deadline: Deadline,
  run: (signal: AbortSignal, touch: () => void) => Promise<T>,
): Promise<T> {
  const { signal, timeoutSeconds } = deadline;
  signal?.throwIfAborted();
  const controller = new AbortController();
  let left = parts;
  const pass = () => {
    left -= 1;
    if (left === 0) controller.abort(timedOut(deadline));
  };
  const timer = setInterval(pass, (timeoutSeconds * 1000) / parts);
  const touch = () => {
    left = parts;
    timer.refresh();
  };
  // AbortSignal.any is not used, because a signal that exists as long as the service would accumulate dependent
  // signals.
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await run(controller.signal, touch);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function timedOut({ what, timeoutSeconds }: Deadline): EngineError {
  const message = `${what}: no answer within ${timeoutSeconds} s`;
  return new EngineError('timeout', message, { reason: message, publicMessage: wordsFor.timeout });
}
