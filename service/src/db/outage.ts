import type { Logger } from 'pino';
import { createSharedOutage, type Outage } from '../lib/outage.ts';
import { createClient } from './connection.ts';
import { databaseTrouble, diskFullMs, isConnectionLost, isTimeout } from './errors.ts';

/** The time without a successful query after which a timeout is an outage. Heartbeats are more frequent. */
const silenceMs = 2500;

/**
 * Logs once that the database is unreachable, whichever part of the service detects it, and likewise that its disk is
 * full. It must receive the outcomes of all connections and queries. Other errors, such as those of a wrong statement,
 * and timeouts while other queries succeed, are left to the callers. `now` returns milliseconds of a monotonic clock.
 */
export function createDatabaseOutage(
  log: Logger,
  connectionString: string,
  now = () => performance.now(),
): Outage {
  const words = {
    failed: 'The database is unreachable. What needs it is retried.',
    goesOn: 'The database is still unreachable.',
    works: 'The database answers again.',
  };
  const about = { database: nameOf(connectionString) };
  const outage = createSharedOutage(log, words, { about, now });
  const fullWords = {
    failed: 'The disk of the database is full. Changes are refused.',
    goesOn: 'The disk of the database is still full.',
    works: 'The disk of the database has space again.',
  };
  // Reads work on a full disk, so it is over only once no change was refused for a while.
  const full = createSharedOutage(log, fullWords, { about, now, steadyFor: diskFullMs });
  let workedAt = now();
  const isSilent = () => outage.isAway() || now() - workedAt > silenceMs;
  return {
    failed(error, about) {
      if (databaseTrouble(error) === 'full') full.failed(error, about);
      if (isConnectionLost(error) || (isTimeout(error) && isSilent())) outage.failed(error, about);
    },
    worked() {
      workedAt = now();
      outage.worked();
      full.worked();
    },
  };
}

/** The name of a database without the user and the password, such as `db.example.com:5432/berth`. */
function nameOf(connectionString: string): string {
  const { host, port, database } = createClient({ connectionString });
  return `${host}:${port}/${database}`;
}
