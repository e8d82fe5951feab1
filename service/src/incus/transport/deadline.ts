import { EngineError, wordsFor } from './errors.ts';

export interface Deadline {
  /** What the call waits for, named in the error. */
  what: string;
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
}

/**
 * The timeout is split into parts: while this process is blocked, only one of them passes, however
 * long it takes, because the answer is not late then.
 */
const parts = 4;

/**
 * Runs `run` until it ends, times out (`EngineError` `timeout`) or is aborted (throws the reason of
 * the signal). `touch` restarts the timeout.
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
  // AbortSignal.any is not used: a signal that lives as long as the service would accumulate
  // dependents.
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
