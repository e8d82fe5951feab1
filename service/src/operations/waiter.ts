import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { hasEnded } from './outcome.ts';
import type { WaitedOperation } from './queries.ts';
import { waitedOperation } from './worker-queries.ts';

/** A notification can be missed; the row can't. */
const lookAgainMilliseconds = 1000;

/**
 * An operation once it has ended, or as it is when the seconds are over; undefined if it is no longer in
 * the records.
 */
export type OperationWaiter = (
  operationId: number,
  seconds: number,
) => Promise<WaitedOperation | undefined>;

/** @param stopping when it aborts, nobody is kept waiting any longer */
export function createWaiter(
  db: Db,
  notifications: NotificationListener,
  stopping: AbortSignal,
): OperationWaiter {
  return async (operationId, seconds) => {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const left = Math.max(0, end - performance.now());
      const timeoutMs = Math.min(left, lookAgainMilliseconds);
      const hint = finishedHint(notifications, operationId, timeoutMs, stopping);
      try {
        const operation = await waitedOperation(db, operationId);
        const isOver = !operation || hasEnded(operation.status) || left === 0 || stopping.aborted;
        if (isOver) return operation;
        await hint.promise;
      } finally {
        hint.cancel();
      }
    }
  };
}

/** Subscribed before the row is read, so that an end in between is not missed. */
function finishedHint(
  notifications: NotificationListener,
  operationId: number,
  timeoutMs: number,
  stopping: AbortSignal,
) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const onStop = () => resolve();
  stopping.addEventListener('abort', onStop);
  const off = notifications.on('operation_finished', ({ id }) => {
    if (id === operationId) resolve();
  });
  const cancel = () => {
    clearTimeout(timer);
    stopping.removeEventListener('abort', onStop);
    off();
  };
  return { promise, cancel };
}
