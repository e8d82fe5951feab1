import type { Berth } from './berth.ts';
import { type BerthError, WaitTimeoutError } from './errors.ts';
import { follow } from './events.ts';
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
/** While events say when the operation changes. */
const followedPauseMs = 10_000;

/**
 * Waits until an operation has succeeded, and returns it. Events of its server say when to look; without them, such as for
 * an operation on a node, it looks at intervals. Throws the error of the operation if it fails, such as
 * `GuestIgnoredShutdownError`, `OperationSupersededError` if another operation takes its place, and
 * `OperationCancelledError` if a request cancels it.
 */
export async function waitForOperation(
  berth: Berth,
  id: number | string,
  { onProgress, signal, timeoutMs }: WaitOptions = {},
): Promise<Operation> {
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const stopping = new AbortController();
  const either = eitherSignal(eitherSignal(signal, limit), stopping.signal);
  let changes: Changes | undefined;
  let seen: Operation | undefined;
  try {
    for (let ms = firstPauseMs; ; ms = Math.min(longestPauseMs, ms * 1.5)) {
      const params = { path: { id } };
      const { data } = await berth.GET('/v1/operations/{id}', { params, signal: either });
      if (!isSame(data, seen)) onProgress?.(data);
      seen = data;
      if (data.status === 'succeeded') return data;
      if (data.status !== 'pending' && data.status !== 'running') throw failureOf(data);
      changes ??= changesOf(berth, data, either);
      await changes.next(ms, either);
    }
  } catch (error) {
    if (limit?.aborted && error === limit.reason) throw waitTimeout(id, seen);
    throw error;
  } finally {
    stopping.abort();
  }
}

interface Changes {
  /** Waits until the operation may have changed: for so long, unless events say when. */
  next(ms: number, signal: AbortSignal | null): Promise<void>;
}

/** Follows an operation by the events of its server, until the signal is aborted. */
function changesOf(berth: Berth, { server_id }: Operation, signal: AbortSignal | null): Changes {
  let isFollowed = false;
  /** Aborted by a change. */
  let change = new AbortController();

  async function listen(): Promise<void> {
    const type = ['operation.progress', 'operation.ended'] as const;
    const filters = { type: [...type], server_id: [String(server_id)] };
    // The first message comes before any event, and what has changed until then is seen by looking once more.
    for await (const _ of follow(berth, { filters, signal: signal ?? undefined })) {
      isFollowed = true;
      change.abort();
    }
  }

  if (server_id) {
    // Whatever refuses the events, looking at intervals does without them.
    listen().catch(() => {
      isFollowed = false;
      change.abort();
    });
  }
  return {
    async next(ms, until) {
      await pause(isFollowed ? followedPauseMs : ms, eitherSignal(until, change.signal)).catch(
        (error) => {
          if (until?.aborted || !change.signal.aborted) throw error;
        },
      );
      change = new AbortController();
    },
  };
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
