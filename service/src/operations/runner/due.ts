import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { defineReconciler } from '../../reconciler-runtime/define.ts';
import { clampFutureTimes, leaseNextOperation } from '../lease-queries.ts';
import type { ActiveOperations } from './active.ts';

const pollMilliseconds = 1000;
const clockMilliseconds = 5000;

export interface Worker {
  db: Db;
  log: Logger;
  /** The id of this process in the leases. */
  holder: string;
  /** The steps of each kind that this version knows. */
  steps: ReadonlyMap<string, readonly string[]>;
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
    let leased = 0;
    while (worker.active.count() < worker.concurrency && !signal.aborted) {
      if (!(await leaseOne(worker))) break;
      leased += 1;
    }
    return { leased };
  },
});

/** Returns whether an operation was due. */
async function leaseOne({ db, holder, steps, active }: Worker): Promise<boolean> {
  // The connection is taken first, so that the time spent waiting for it is not part of the lease.
  const leased = await db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const operation = await leaseNextOperation(connection, holder, steps);
    return operation && { operation, askedAt };
  });
  if (leased) active.start(leased);
  return leased !== undefined;
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
