import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { defineReconciler } from '../../reconciler-runtime/define.ts';
import { clampFutureTimes, type Leasing, leaseDueOperations } from '../lease-queries.ts';
import type { ActiveOperations } from './active.ts';

const pollMilliseconds = 1000;
const clockMilliseconds = 5000;

export interface Worker extends Leasing {
  db: Db;
  log: Logger;
  /** How many operations this process carries out at once. */
  concurrency: number;
  active: ActiveOperations;
}

export type WorkerTopic = 'operation_due' | 'operation_released' | 'slot_free';

/** Leases due operations while there are slots: on a notification at once, and by polling when one was missed. */
export const dueOperations = defineReconciler<Worker, WorkerTopic>({
  name: 'due-operations',
  every: { milliseconds: pollMilliseconds, first: 'now' },
  on: ['operation_due', 'operation_released', 'slot_free'],
  failure: 'The search for due operations failed. Retrying.',
  async run(worker, _, { signal }) {
    const free = worker.concurrency - worker.active.count();
    if (free <= 0 || signal.aborted) return { leased: 0 };
    return { leased: await leaseSome(worker, free) };
  },
});

/** Returns how many operations were leased: as many as are due, up to `limit`. */
async function leaseSome(worker: Worker, limit: number): Promise<number> {
  const { db, active } = worker;
  // The connection is taken first, so that the time spent waiting for it is not part of the leases.
  return await db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const leased = await leaseDueOperations(connection, worker, limit);
    for (const operation of leased) active.start({ operation, askedAt });
    return leased.length;
  });
}

/** Corrects the times of waiting operations after the clock of the database was set back. */
export const clockSkewGuard = defineReconciler<Worker, WorkerTopic>({
  name: 'clock-skew-guard',
  every: { milliseconds: clockMilliseconds },
  failure: 'The check whether the clock was set back failed. Retrying.',
  async run({ db, log }) {
    const moved = await clampFutureTimes(db);
    if (moved > 0)
      log.warn({ moved }, 'The clock was set back. The due times of operations were corrected.');
    return { moved };
  },
});
