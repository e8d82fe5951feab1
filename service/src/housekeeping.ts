import type { Logger } from 'pino';
import type { Db } from './db/connection.ts';
import { deleteOldIdempotencyKeys } from './http/idempotency-queries.ts';
import { wipeOldSecrets } from './operations/worker-queries.ts';
import { deleteOldNetworks } from './sessions/network-queries.ts';
import { deleteEndedSessions } from './sessions/queries.ts';

const everyMilliseconds = 3_600_000;

export interface Housekeeping {
  stop(): Promise<void>;
}

/** Removes what has outlived its use, now and each hour. Harmless when several replicas do it. */
export function startHousekeeping(db: Db, log: Logger): Housekeeping {
  let running = sweep(db, log);
  const timer = setInterval(() => {
    running = sweep(db, log);
  }, everyMilliseconds);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function sweep(db: Db, log: Logger): Promise<void> {
  try {
    const keys = await deleteOldIdempotencyKeys(db);
    const secrets = await wipeOldSecrets(db);
    const sessions = await deleteEndedSessions(db);
    const networks = await deleteOldNetworks(db);
    const removed = { keys, secrets, sessions, networks };
    if (keys + secrets + sessions + networks > 0)
      log.info(removed, 'What has outlived its use was removed.');
  } catch (error) {
    log.warn({ err: error }, 'Housekeeping failed; it is tried again in an hour.');
  }
}
