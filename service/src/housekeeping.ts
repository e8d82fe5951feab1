import type { Logger } from 'pino';
import type { Db } from './db/connection.ts';
import { deleteOldIdempotencyKeys } from './http/idempotency-queries.ts';
import { wipeOldSecrets } from './operations/worker-queries.ts';
import { serialised } from './serialised.ts';
import { deleteEndedSessions } from './sessions/queries.ts';

const everyMilliseconds = 3_600_000;

export interface Housekeeping {
  stop(): Promise<void>;
}

/** Removes what has outlived its use, now and each hour. Harmless when several replicas do it. */
export function startHousekeeping(db: Db, log: Logger): Housekeeping {
  const sweeping = serialised(
    () => sweep(db, log),
    (error) => log.warn({ err: error }, 'Housekeeping failed; it is tried again in an hour.'),
  );
  sweeping.run('all');
  const timer = setInterval(() => sweeping.run('all'), everyMilliseconds);
  return {
    async stop() {
      clearInterval(timer);
      await sweeping.idle();
    },
  };
}

async function sweep(db: Db, log: Logger): Promise<void> {
  const keys = await deleteOldIdempotencyKeys(db);
  const secrets = await wipeOldSecrets(db);
  const sessions = await deleteEndedSessions(db);
  const removed = { keys, secrets, sessions };
  if (keys + secrets + sessions > 0) log.info(removed, 'What has outlived its use was removed.');
}
