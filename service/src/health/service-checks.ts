import { setTimeout as sleep } from 'node:timers/promises';
import { countUnknownInstances } from '../address-pools/unknown-queries.ts';
import type { Db } from '../db/connection.ts';
import { databaseTrouble } from '../db/errors.ts';
import { isReadOnly } from '../db/queries.ts';
import { type Engines, whyUnanswered } from '../locations/engines.ts';
import { findLocation, type LocationRow, listAllLocations } from '../locations/queries.ts';
import { type HealthCheck, type HealthChecks, type Note, Unwell } from './checks.ts';
import { keyCheck } from './key.ts';

/** The time for which a check waits for the list of locations. */
const listingMs = 500;
/** The time for which a check waits for an engine. It is shorter than the timeout of checks. */
const patienceMs = 1500;
const answerSeconds = 5;

interface Checked {
  engines: Pick<Engines, 'of'>;
  /** Throws if the database can't write because its disk is full. */
  requireRoom: () => Promise<void>;
  /** Returns the number of encrypted values that no key can read. */
  countUnreadable?: () => number;
}

/**
 * Creates the checks of a service: of its database, which must accept changes, and of the engine of each location.
 * Reads the locations once before it resolves, and rejects if the database does not respond.
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
    // If the database fails, its own check reports that, and the other checks are the previous ones.
    await Promise.race([listed.catch(() => undefined), late]);
    const database = {
      name: 'database',
      async check() {
        // This is the first check, because an embedded PostgreSQL may have ended due to the full disk.
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

/** Whether the database does not respond. Any other error, such as a statement timeout, is a response. */
const isDatabaseAway = (error: unknown) => databaseTrouble(error) === 'away';

function locationCheck(db: Db, engines: Pick<Engines, 'of'>, location: LocationRow): HealthCheck {
  return {
    name: `location ${location.name}`,
    isLocation: true,
    async check() {
      const info = engines.of(location).server.info(undefined, { timeoutSeconds: answerSeconds });
      // An engine that takes longer may only be slow. Its watcher finds out whether it is unreachable.
      const asked = Promise.race([info, sleep(patienceMs, undefined, { ref: false })]);
      // Both are awaited from the start, because an unhandled rejection ends the process.
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

/** The message of the error is only for the log, because it may name paths and addresses. */
function unanswered(error: unknown): never {
  const why = whyUnanswered(error);
  // A wrong certificate or missing permission does not mean that Incus does not respond.
  if (why === undefined) throw error;
  throw new Unwell('incus_unreachable', `Incus does not answer: ${why}.`, { cause: error });
}

/** Throws `Unwell` if the database does not respond, because then the state of the engine is unknown. */
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

/** Notes an unfinished comparison with the instances after a restore of the database. */
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
  const detail = `${which} to no server in the records; their addresses are reserved. "berth drift list" (GET /v1/drift) shows them, and they can be adopted or removed.`;
  return { reason: 'instances_unknown', detail };
}
