import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { hasEnded } from './outcome.ts';
import type { WaitedOperation } from './queries.ts';
import { waitedOperation } from './worker-queries.ts';

/** The row is also polled, in case a notification was lost. */
const pollMilliseconds = 1000;

/**
 * Waits until an operation has ended, or the seconds have passed. Returns it as it is then;
 * undefined if it no longer exists.
 */
export type OperationWaiter = (
  operationId: number,
  seconds: number,
) => Promise<WaitedOperation | undefined>;

/**
 * @param stopping ends all waits when aborted
 */
export function createWaiter(
  db: Db,
  notifications: NotificationListener,
  stopping: AbortSignal,
): OperationWaiter {
  return async (operationId, seconds) => {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const left = Math.max(0, end - performance.now());
      const timeoutMs = Math.min(left, pollMilliseconds);
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

/** Subscribes before the row is read, so that an end in between is not missed. */
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
