import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { NotificationListener } from '../../db/notifications.ts';
import type { RunObserver } from '../../reconciler-runtime/observer.ts';
import { startReconcilers } from '../../reconciler-runtime/runner.ts';
import { holderOf, serviceName } from '../../reconciler-runtime/service.ts';
import type { OperationKind } from '../define.ts';
import type { Execution } from '../execute.ts';
import { activeOperations } from './active.ts';
import { clockSkewGuard, dueOperations } from './due.ts';

export interface RunnerOptions {
  db: Db;
  notifications: NotificationListener;
  kinds: readonly OperationKind[];
  execution: Omit<Execution, 'leasing'>;
  /** How many operations this process carries out at once. */
  concurrency: number;
  log: Logger;
  /** Receives the runs of its reconcilers. */
  runs?: RunObserver;
}

export interface OperationRunner {
  /** Aborts the running steps, and releases their leases. */
  stop(): Promise<void>;
}

/** Carries out due operations. */
export function startOperationRunner(options: RunnerOptions): OperationRunner {
  const { db, notifications, kinds, concurrency, log, runs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const onSlotFree = () => looking.trigger('slot_free');
  const steps = new Map(kinds.map(({ kind, steps: ofKind }) => [kind, Object.keys(ofKind)]));
  const leasing = { holder: holderOf(serviceName), steps };
  const execution = { ...options.execution, leasing };
  const active = activeOperations({ execution, kinds, log, signal, onSlotFree });
  const looking = startReconcilers({
    reconcilers: [dueOperations, clockSkewGuard],
    subject: { db, log, ...leasing, concurrency, active },
    ...{ signal, log, observer: runs },
  });
  const unsubscribe = [
    notifications.on('operation_due', () => looking.trigger('operation_due')),
    notifications.on('operation_released', () => looking.trigger('operation_released')),
    notifications.on('operation_superseded', ({ id }) => active.abort(id)),
  ];
  return {
    async stop() {
      stopping.abort();
      for (const off of unsubscribe) off();
      await looking.stop();
      await active.idle();
    },
  };
}
