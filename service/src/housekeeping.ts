import type { Logger } from 'pino';
import type { Db } from './db/connection.ts';
import { databaseTime } from './db/queries.ts';
import { serialised } from './lib/serialised.ts';
import { enterServiceAddresses } from './network-policy/service-addresses.ts';
import { wipeOldSecrets } from './operations/worker-queries.ts';
import { deleteOldIdempotencyKeys } from './retention/idempotency-queries.ts';
import { keepRecords, type RecordsObserver, trustedClock } from './retention/retention.ts';
import { deleteOldNetworks } from './sessions/network-queries.ts';
import { deleteEndedSessions } from './sessions/queries.ts';

const everyMilliseconds = 3_600_000;
/** The rules of all networks follow within as long. */
const addressesMilliseconds = 60_000;

export interface Housekeeping {
  stop(): Promise<void>;
}

/**
 * Removes what has outlived its use, now and each hour, and each minute enters which addresses this machine
 * has. Harmless when several replicas do it.
 */
export function startHousekeeping(db: Db, log: Logger, observer: RecordsObserver): Housekeeping {
  const stopping = new AbortController();
  const trusted = trustedClock();
  const jobs: Record<string, () => Promise<void>> = {
    addresses: () => enterServiceAddresses(db),
    credentials: () => sweep(db, log),
    records: () => keep({ db, log, observer, trusted, signal: stopping.signal }),
  };
  const working = serialised(
    async (job) => await jobs[job]?.(),
    (error) => {
      if (stopping.signal.aborted) return;
      log.warn({ err: error }, 'Housekeeping failed; it is tried again.');
    },
  );
  const runAll = () => {
    for (const job of Object.keys(jobs)) working.run(job);
  };
  runAll();
  const timer = setInterval(runAll, everyMilliseconds);
  const minutes = setInterval(() => working.run('addresses'), addressesMilliseconds);
  return {
    async stop() {
      clearInterval(timer);
      clearInterval(minutes);
      stopping.abort();
      await working.idle();
    },
  };
}

async function sweep(db: Db, log: Logger): Promise<void> {
  const keys = await deleteOldIdempotencyKeys(db);
  const secrets = await wipeOldSecrets(db);
  const sessions = await deleteEndedSessions(db);
  const networks = await deleteOldNetworks(db);
  const removed = { keys, secrets, sessions, networks };
  if (keys + secrets + sessions + networks > 0)
    log.info(removed, 'What has outlived its use was removed.');
}

interface Keeping {
  db: Db;
  log: Logger;
  observer: RecordsObserver;
  trusted: ReturnType<typeof trustedClock>;
  signal: AbortSignal;
}

async function keep({ db, log, observer, trusted, signal }: Keeping): Promise<void> {
  const now = new Date(await databaseTime(db));
  const removed = await keepRecords(db, { now, oldBy: trusted(now), signal });
  observer.removed(removed);
  if (Object.values(removed).some((count) => count > 0)) {
    log.info(removed, 'Records that are kept no longer were removed.');
  }
}
