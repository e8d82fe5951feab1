import type { Logger } from 'pino';
import { deleteExpiredConsoles } from './consoles/connection-queries.ts';
import type { Db } from './db/connection.ts';
import { logFileIn, rotateLarge } from './db/embedded/log-file.ts';
import { databaseTime } from './db/queries.ts';
import { deleteExpiredAuthorizations } from './device-authorizations/expired-queries.ts';
import { moveAllEvents } from './events/move.ts';
import { deleteUnusedLabelSets } from './labels/unused-queries.ts';
import { recordServiceAddresses } from './network-policy/service-addresses.ts';
import { wipeOldSecrets } from './operations/worker-queries.ts';
import { defineReconciler } from './reconciler-runtime/define.ts';
import { deleteOldIdempotencyKeys } from './retention/idempotency-queries.ts';
import { keepRecords, type RecordsObserver, type trustedClock } from './retention/retention.ts';
import { deleteOldNetworks } from './sessions/network-queries.ts';
import { deleteEndedSessions } from './sessions/queries.ts';

const hourly = { milliseconds: 3_600_000, first: 'now' } as const;
/** The interval, and so the delay with which the rules of all networks follow. */
const addressesMilliseconds = 60_000;
/** The interval, and so the longest time for which the log of PostgreSQL exceeds its limit. */
const logMilliseconds = 60_000;
const outboxMilliseconds = 1000;
const failure = 'Housekeeping failed and will be retried.';

export interface Housekeeping {
  db: Db;
  log: Logger;
  observer: RecordsObserver;
  trusted: ReturnType<typeof trustedClock>;
}

const serviceAddresses = defineReconciler<Pick<Housekeeping, 'db'>>({
  name: 'service-addresses',
  every: { milliseconds: addressesMilliseconds, first: 'now' },
  failure,
  async run({ db }) {
    await recordServiceAddresses(db);
  },
});

const expiredCredentials = defineReconciler<Pick<Housekeeping, 'db' | 'log'>>({
  name: 'expired-credentials',
  every: hourly,
  failure,
  async run({ db, log }) {
    const keys = await deleteOldIdempotencyKeys(db);
    const secrets = await wipeOldSecrets(db);
    const sessions = await deleteEndedSessions(db);
    const networks = await deleteOldNetworks(db);
    const consoles = await deleteExpiredConsoles(db);
    const authorizations = await deleteExpiredAuthorizations(db);
    const removed = { keys, secrets, sessions, networks, consoles, authorizations };
    if (Object.values(removed).some((count) => count > 0))
      log.info(removed, 'Expired records were removed.');
    return removed;
  },
});

const unusedLabels = defineReconciler<Pick<Housekeeping, 'db'>>({
  name: 'unused-labels',
  every: hourly,
  failure,
  run: async ({ db }) => ({ sets: await deleteUnusedLabelSets(db) }),
});

/** Empties the outbox even if nobody reads events. Who does so empties it himself, and more often. */
const eventOutbox = defineReconciler<Pick<Housekeeping, 'db'>>({
  name: 'event-outbox',
  every: { milliseconds: outboxMilliseconds, first: 'now', from: 'end' },
  failure: 'Events could not be moved from their outbox. This will be retried.',
  run: async ({ db }, _, { signal }) => ({ moved: await moveAllEvents(db, 'ifFree', signal) }),
});

const records = defineReconciler<Housekeeping>({
  name: 'records',
  every: hourly,
  failure,
  async run({ db, log, observer, trusted }, _, { signal }) {
    const now = new Date(await databaseTime(db));
    const removed = { ...(await keepRecords(db, { now, oldBy: trusted(now), signal })) };
    observer.removed(removed);
    if (Object.values(removed).some((count) => count > 0))
      log.info(removed, 'Records beyond their retention period were removed.');
    return removed;
  },
});

/**
 * Removes outdated records, and records the addresses of this machine. Several services can do this at the same time.
 */
export const housekeeping = [
  serviceAddresses,
  expiredCredentials,
  unusedLabels,
  eventOutbox,
  records,
];

/** For a service with an embedded PostgreSQL. */
export const embeddedLog = defineReconciler<{ db: Db; dataDir: string }>({
  name: 'postgres-log',
  every: { milliseconds: logMilliseconds, first: 'now' },
  failure: 'The log of PostgreSQL could not be rotated. The rotation will be retried.',
  run: async ({ db, dataDir }) => await rotateLarge(db, logFileIn(dataDir)),
});
