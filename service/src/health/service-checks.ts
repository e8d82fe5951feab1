import { setTimeout as sleep } from 'node:timers/promises';
import { countUnknownInstances } from '../address-pools/unknown-queries.ts';
import type { Db } from '../db/connection.ts';
import { databaseTrouble } from '../db/errors.ts';
import { isReadOnly } from '../db/queries.ts';
import { type Engines, whyUnanswered } from '../locations/engines.ts';
import { findLocation, type LocationRow, listAllLocations } from '../locations/queries.ts';
import { type HealthCheck, type HealthChecks, type Note, Unwell } from './checks.ts';
import { keyCheck } from './key.ts';

/** How long a check waits for the list of locations. */
const listingMs = 500;
/** Of a check, for an engine to answer. Less than a check may take. */
const patienceMs = 1500;
const answerSeconds = 5;

interface Checked {
  engines: Pick<Engines, 'of'>;
  /** Throws where the database has no room for what is to be written. */
  requireRoom: () => Promise<void>;
  /** How much no key can read. */
  countUnreadable?: () => number;
}

/**
 * The checks of a service: its database, which must take changes, and the engine of each location.
 * Reads the locations once before it resolves, and rejects where the database does not answer.
 */
export async function serviceChecks(
  db: Db,
  { engines, requireRoom, countUnreadable = () => 0 }: Checked,
): Promise<HealthChecks> {
  let locations: LocationRow[] = await listAllLocations(db);
  return async () => {
    const listed = listAllLocations(db).then((found) => {
      locations = found;
    });
    const late = sleep(listingMs, undefined, { ref: false });
    // Where the database fails, its own check says so, and the others are those of before.
    await Promise.race([listed.catch(() => undefined), late]);
    const database = {
      name: 'database',
      async check() {
        // First: an embedded PostgreSQL may have ended for want of room.
        await requireRoom();
        try {
          await listed;
          if (await isReadOnly(db))
            throw new Unwell('database_read_only', 'The database is read-only.');
        } catch (error) {
          if (!isDatabaseAway(error)) throw error;
          throw new Unwell('database_unreachable', 'The database does not answer.', {
            cause: error,
          });
        }
      },
    };
    const parts = [database, ...(countUnreadable() > 0 ? [keyCheck(countUnreadable)] : [])];
    return [...parts, ...locations.map((location) => locationCheck(db, engines, location))];
  };
}

/** What else fails, such as a statement that took too long, is an answer. */
const isDatabaseAway = (error: unknown) => databaseTrouble(error) === 'away';

function locationCheck(db: Db, engines: Pick<Engines, 'of'>, location: LocationRow): HealthCheck {
  return {
    name: `location ${location.name}`,
    isLocation: true,
    async check() {
      const info = engines.of(location).server.info(undefined, { timeoutSeconds: answerSeconds });
      // An engine that takes longer may only be slow: its watcher finds out whether it is away.
      const asked = Promise.race([info, sleep(patienceMs, undefined, { ref: false })]);
      // Both are awaited from the start: a promise that fails before it is awaited ends the process.
      const [known, answer] = await Promise.all([
        findInTime(db, location.id),
        asked.catch(unanswered),
      ]);
      if (known?.isReachable) return;
      const cause = new Error(known?.unreachable_reason ?? unwatched);
      if (answer === undefined)
        throw new Unwell('incus_unreachable', 'Incus does not answer.', { cause });
      if (!known?.isWatched) throw new Unwell('location_unwatched', unwatched);
      const detail = 'The service that watches this location cannot use its Incus.';
      throw new Unwell('incus_unusable', detail, { cause });
    },
    note: () => noteOn(db, location.id),
  };
}

const unwatched = 'No service watches this location.';

/** Its message may name paths and addresses, and is for the log. */
function unanswered(error: unknown): never {
  const why = whyUnanswered(error);
  // A certificate or a lack of permission is no reason to start it.
  if (why === undefined) throw error;
  throw new Unwell('incus_unreachable', `Incus does not answer: ${why}.`, { cause: error });
}

/** Throws `Unwell` where the database does not answer: the engine is not to blame. */
async function findInTime(db: Db, id: number) {
  const late = sleep(patienceMs, 'late' as const, { ref: false });
  const detail = 'Its state is unknown, because the database does not answer.';
  try {
    const found = await Promise.race([findLocation(db, id), late]);
    if (found !== 'late') return found;
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    throw new Unwell('database_unreachable', detail, { cause: error });
  }
  throw new Unwell('database_unreachable', detail);
}

/** What a restore of the database may have left. */
async function noteOn(db: Db, locationId: number): Promise<Note | undefined> {
  const location = await findLocation(db, locationId);
  if (location?.instances_known === false) {
    const detail =
      'The location accepts no new servers until its instances have been compared with the restored database.';
    return { reason: 'instances_not_compared', detail };
  }
  const count = await countUnknownInstances(db, locationId);
  if (count === 0) return undefined;
  const which = count === 1 ? '1 instance belongs' : `${count} instances belong`;
  const detail = `${which} to no server in the records; their addresses are reserved, and the log has the names.`;
  return { reason: 'instances_unknown', detail };
}
