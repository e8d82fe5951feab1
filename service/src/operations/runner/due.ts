import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { defineReconciler } from '../../reconciling/define.ts';
import { catchUpWithClock, leaseNextOperation } from '../lease-queries.ts';
import type { UnderWay } from './under-way.ts';

const pollMilliseconds = 1000;
const clockMilliseconds = 5000;

export interface Worker {
  db: Db;
  log: Logger;
  /** Of this process, in the leases. */
  holder: string;
  /** The steps of each kind that this version knows. */
  steps: ReadonlyMap<string, readonly string[]>;
  /** How many operations this process carries out at once. */
  concurrency: number;
  underWay: UnderWay;
}

export type WorkerTopic = 'operation_due' | 'operation_released' | 'place_free';

/** Leases due operations while there are places: on a notification at once, and by polling when one was missed. */
export const dueOperations = defineReconciler<Worker, WorkerTopic>({
  name: 'due-operations',
  every: { milliseconds: pollMilliseconds, first: 'now' },
  on: ['operation_due', 'operation_released', 'place_free'],
  failure: 'Looking for due operations failed; trying again.',
  async run(worker, _, { signal }) {
    let leased = 0;
    while (worker.underWay.count() < worker.concurrency && !signal.aborted) {
      if (!(await leaseOne(worker))) break;
      leased += 1;
    }
    return { leased };
  },
});

/** Answers whether there was one. */
async function leaseOne({ db, holder, steps, underWay }: Worker): Promise<boolean> {
  // On one connection: how long that was waited for is no part of the lease.
  const leased = await db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const operation = await leaseNextOperation(connection, holder, steps);
    return operation && { operation, askedAt };
  });
  if (leased) underWay.begin(leased);
  return leased !== undefined;
}

/** Operations wait for times of the database's clock, which may be set back. */
export const clockSkewGuard = defineReconciler<Worker, WorkerTopic>({
  name: 'clock-skew-guard',
  every: { milliseconds: clockMilliseconds },
  failure: 'Minding the clock failed; trying again.',
  async run({ db, log }) {
    const moved = await catchUpWithClock(db);
    if (moved > 0) log.warn({ moved }, 'The clock was set back; operations go on.');
    return { moved };
  },
});
