import type { Logger } from 'pino';
import { createSharedOutage, type Outage } from '../lib/outage.ts';
import { createClient } from './connection.ts';
import { databaseTrouble, diskFullMs, isConnectionLost, isTimeout } from './errors.ts';

/** Without a success for so long, a query that is not answered is no slow one. Heartbeats are more frequent. */
const silenceMs = 2500;

/**
 * Logs once that the database is unreachable, whatever part of the service notices it: it gets how all connections and
 * queries end. That its disk is full is logged likewise. Other errors, such as a wrong statement, and timeouts while other queries succeed, are for those whose they are.
 * `now`: ms, of a clock that only goes forward.
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

/** Such as `db.example.com:5432/berth`: without the user and the password. */
function nameOf(connectionString: string): string {
  const { host, port, database } = createClient({ connectionString });
  return `${host}:${port}/${database}`;
}
