import { EngineError } from './errors.ts';

export interface Deadline {
  /** What is awaited, for the error. */
  what: string;
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
}

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
  const timer = setTimeout(() => controller.abort(timedOut(deadline)), timeoutSeconds * 1000);
  // Not AbortSignal.any: a signal that lives as long as the service would collect followers.
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await run(controller.signal, () => timer.refresh());
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function timedOut({ what, timeoutSeconds }: Deadline): EngineError {
  return new EngineError('timeout', `${what}: no answer within ${timeoutSeconds} s`);
}
