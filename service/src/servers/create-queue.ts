import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { defineReconciler } from '../reconciler-runtime/define.ts';
import type { RunObserver } from '../reconciler-runtime/observer.ts';
import { startReconcilers } from '../reconciler-runtime/runner.ts';
import { wakeNextCreates } from './create-queue-queries.ts';

export interface CreateQueue {
  stop(): Promise<void>;
}

/** The key is the id of a node. */
const nextCreates = defineReconciler<Db, 'create_place_free'>({
  name: 'next-creates',
  on: ['create_place_free'],
  failure: 'Waiting creates could not be woken.',
  async run(db, node) {
    await wakeNextCreates(db, Number(node));
  },
});

/**
 * Wakes the next creates of a node as soon as a slot is free. In case a notification is lost, they
 * also poll.
 */
export function startCreateQueue(
  db: Db,
  notifications: NotificationListener,
  log: Logger,
  observer?: RunObserver,
): CreateQueue {
  const { signal } = new AbortController();
  const runner = startReconcilers({
    reconcilers: [nextCreates],
    subject: db,
    signal,
    log,
    observer,
  });
  const off = notifications.on('create_place_free', ({ id }) =>
    runner.trigger('create_place_free', String(id)),
  );
  return {
    async stop() {
      off();
      await runner.stop();
    },
  };
}
