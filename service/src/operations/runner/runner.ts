import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { NotificationListener } from '../../db/notifications.ts';
import type { RunObserver } from '../../reconciling/observer.ts';
import { startReconcilers } from '../../reconciling/runner.ts';
import type { OperationKind } from '../define.ts';
import type { Execution } from '../execute.ts';
import { clockSkewGuard, dueOperations } from './due.ts';
import { operationsUnderWay } from './under-way.ts';

export interface RunnerOptions {
  db: Db;
  notifications: NotificationListener;
  kinds: readonly OperationKind[];
  execution: Execution;
  /** How many operations this process carries out at once. */
  concurrency: number;
  log: Logger;
  /** Told of the looks for due operations. */
  runs?: RunObserver;
}

export interface OperationRunner {
  /** Lets steps under way come to their next stop, and lets go of their leases. */
  stop(): Promise<void>;
}

/** Carries out due operations. */
export function startOperationRunner(options: RunnerOptions): OperationRunner {
  const { db, notifications, kinds, execution, concurrency, log, runs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const placeIsFree = () => looking.tell('place_free');
  const underWay = operationsUnderWay({ execution, kinds, log, signal, placeIsFree });
  const steps = new Map(kinds.map(({ kind, steps: ofKind }) => [kind, Object.keys(ofKind)]));
  const looking = startReconcilers({
    reconcilers: [dueOperations, clockSkewGuard],
    subject: { db, log, holder: randomUUID(), steps, concurrency, underWay },
    ...{ signal, log, observer: runs },
  });
  const unsubscribe = [
    notifications.on('operation_due', () => looking.tell('operation_due')),
    notifications.on('operation_released', () => looking.tell('operation_released')),
    notifications.on('operation_superseded', ({ id }) => underWay.letGo(id)),
  ];
  return {
    async stop() {
      stopping.abort();
      for (const off of unsubscribe) off();
      await looking.end();
      await underWay.idle();
    },
  };
}
