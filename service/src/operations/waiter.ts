import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { endingOf } from './worker-queries.ts';

/** A notification can be missed; the row can't. */
const lookAgainMilliseconds = 1000;

/** The closing words of an operation, or undefined when the seconds were over before its end. */
export type OperationWaiter = (operationId: number, seconds: number) => Promise<string | undefined>;

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
        const ending = await endingOf(db, operationId);
        if (ending !== undefined || left === 0 || stopping.aborted) return ending;
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
