import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { createOutage } from '../lib/outage.ts';
import { serialised } from '../lib/serialised.ts';
import { type OperationKind, unknownKind } from './define.ts';
import { type Execution, executeOperation } from './execute.ts';
import type { Leased } from './lease.ts';
import { catchUpWithClock, leaseNextOperation } from './lease-queries.ts';

const pollMilliseconds = 1000;
const clockMilliseconds = 5000;

export interface RunnerOptions {
  db: Db;
  notifications: NotificationListener;
  kinds: readonly OperationKind[];
  execution: Execution;
  /** How many operations this process carries out at once. */
  concurrency: number;
  log: Logger;
}

export interface OperationRunner {
  /** Lets steps under way come to their next stop, and lets go of their leases. */
  stop(): Promise<void>;
}

/** One operation may be there twice for a moment: once more after its first lease was lost. */
interface Running {
  id: number;
  task: Promise<void>;
  abort: AbortController;
}

/** Carries out due operations: on a notification at once, and by polling when one was missed. */
export function startOperationRunner(options: RunnerOptions): OperationRunner {
  const holder = randomUUID();
  const stopping = new AbortController();
  const running = new Set<Running>();
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const steps = new Map(options.kinds.map((kind) => [kind.kind, Object.keys(kind.steps)]));
  const dueOutage = createOutage(options.log, {
    failed: 'Looking for due operations failed; trying again.',
    works: 'Looking for due operations works again.',
  });
  const looking = serialised(async () => {
    await leaseAllDue();
    dueOutage.worked();
  }, dueOutage.failed);
  const wake = () => looking.run('due');

  async function leaseAllDue(): Promise<void> {
    while (running.size < options.concurrency && !stopping.signal.aborted) {
      const leased = await leaseOne();
      if (!leased) return;
      begin(leased);
    }
  }

  async function leaseOne(): Promise<Leased | undefined> {
    // On one connection: how long that was waited for is no part of the lease.
    return await options.db.connection().execute(async (db) => {
      const askedAt = performance.now();
      const operation = await leaseNextOperation(db, holder, steps);
      return operation && { operation, askedAt };
    });
  }

  function begin(leased: Leased): void {
    const { operation } = leased;
    const kind = kinds.get(operation.kind) ?? unknownKind(operation);
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, stopping.signal]);
    const task = executeOperation(options.execution, kind, leased, abort, signal)
      .catch((error) =>
        options.log.error({ err: error, operation: operation.id }, 'Operation left.'),
      )
      .finally(() => {
        running.delete(entry);
        wake();
      });
    const entry = { id: operation.id, task, abort };
    running.add(entry);
  }

  function letGo(id: number): void {
    for (const entry of running) if (entry.id === id) entry.abort.abort();
  }

  const clockOutage = createOutage(options.log, {
    failed: 'Minding the clock failed; trying again.',
    works: 'Minding the clock works again.',
  });
  const minding = serialised(async () => {
    const moved = await catchUpWithClock(options.db);
    if (moved > 0) options.log.warn({ moved }, 'The clock was set back; operations go on.');
    clockOutage.worked();
  }, clockOutage.failed);

  const unsubscribe = [
    options.notifications.on('operation_due', wake),
    options.notifications.on('operation_released', wake),
    options.notifications.on('operation_superseded', ({ id }) => letGo(id)),
  ];
  const timer = setInterval(wake, pollMilliseconds);
  const clock = setInterval(() => minding.run('clock'), clockMilliseconds);
  wake();

  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      clearInterval(clock);
      await minding.idle();
      for (const off of unsubscribe) off();
      await looking.idle();
      await Promise.all([...running].map(({ task }) => task));
    },
  };
}
