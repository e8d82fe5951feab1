import type { Berth } from './berth.ts';
import { type BerthError, WaitTimeoutError } from './errors.ts';
import type { components } from './generated/schema.ts';
import { errorOf } from './problems.ts';
import { eitherSignal, pause } from './signals.ts';

export type Operation = components['schemas']['Operation'];

export interface WaitOptions {
  /** Receives the operation at first, and after each change of its status, progress or message. */
  onProgress?: ((operation: Operation) => void) | undefined;
  /** Ends the wait when it is aborted, and not the operation. */
  signal?: AbortSignal | undefined;
  /** After how many milliseconds the wait fails with a `WaitTimeoutError`. By default it has no limit. */
  timeoutMs?: number | undefined;
}

const firstPauseMs = 250;
const longestPauseMs = 2000;

/**
 * Waits until an operation has succeeded, and returns it. Throws the error of the operation if it fails, such as
 * `GuestIgnoredShutdownError`, `OperationSupersededError` if another operation takes its place, and
 * `OperationCancelledError` if a request cancels it.
 */
export async function waitForOperation(
  berth: Berth,
  id: number | string,
  { onProgress, signal, timeoutMs }: WaitOptions = {},
): Promise<Operation> {
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const either = eitherSignal(signal, limit);
  let seen: Operation | undefined;
  try {
    for (let ms = firstPauseMs; ; ms = Math.min(longestPauseMs, ms * 1.5)) {
      const params = { path: { id } };
      const { data } = await berth.GET('/v1/operations/{id}', { params, signal: either });
      if (!isSame(data, seen)) onProgress?.(data);
      seen = data;
      if (data.status === 'succeeded') return data;
      if (data.status !== 'pending' && data.status !== 'running') throw failureOf(data);
      await pause(ms, either);
    }
  } catch (error) {
    if (limit?.aborted && error === limit.reason) throw waitTimeout(id, seen);
    throw error;
  }
}

const isSame = (one: Operation, other?: Operation) =>
  one.status === other?.status && one.progress === other.progress && one.message === other.message;

/** The error of an operation that has ended without success. */
function failureOf(operation: Operation): BerthError {
  const { code, detail } = operation.error ?? {
    code: operation.status === 'cancelled' ? 'operation_cancelled' : 'operation_superseded',
    detail: operation.message,
  };
  return errorOf(code, detail, { operation });
}

function waitTimeout(id: number | string, operation?: Operation): WaitTimeoutError {
  const last = operation ? ` ${operation.message}` : '';
  const detail = `Operation ${id} has not ended yet, and continues.${last}`;
  return new WaitTimeoutError('wait_timeout', detail, { operation });
}
