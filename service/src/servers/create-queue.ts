import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { serialised } from '../lib/serialised.ts';
import { wakeNextCreates } from './create-queue-queries.ts';

export interface CreateQueue {
  stop(): Promise<void>;
}

/**
 * Has the next creates of a node begin as soon as there is a place for them. Where that went unheard, they
 * look by themselves now and then.
 */
export function minderOfCreates(
  db: Db,
  notifications: NotificationListener,
  log: Logger,
): CreateQueue {
  const waking = serialised(
    (node) => wakeNextCreates(db, Number(node)),
    (error) => log.warn({ err: error }, 'Creates could not be told that it is their turn.'),
  );
  const off = notifications.on('create_place_free', ({ id }) => waking.run(String(id)));
  return {
    async stop() {
      off();
      await waking.idle();
    },
  };
}
