import { EngineError } from './errors.ts';

export interface Deadline {
  /** What is awaited, for the error. */
  what: string;
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
}

/** While this process is held up, one of them passes, however long that takes: nobody else is late for it. */
const parts = 4;

/**
 * Runs `run` until it ends, the time is over (`EngineError` `timeout`) or the caller aborts (the
 * reason of its signal is thrown as it is). `touch` starts the time anew.
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
  // Not AbortSignal.any: a signal that lives as long as the service would collect followers.
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
  return new EngineError('timeout', `${what}: no answer within ${timeoutSeconds} s`);
}
