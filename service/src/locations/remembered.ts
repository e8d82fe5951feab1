import { LRUCache } from 'lru-cache';
import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { type LocationRow, requireLocation } from './queries.ts';

const mostKept = 1000;
/** In case a notification is lost. */
const longestKeptMs = 1000;

/** Reads locations for the steps of operations: many times a second, while they hardly ever change. */
export function rememberLocations(
  db: Db,
  notifications: Pick<NotificationListener, 'on'>,
): (id: number) => Promise<LocationRow> {
  const kept = new LRUCache<number, LocationRow>({
    max: mostKept,
    ttl: longestKeptMs,
    // One that is forgotten while it is read is returned to those who wait for it, and not kept.
    ignoreFetchAbort: true,
    fetchMethod: (id) => requireLocation(db, id),
  });
  notifications.on('locations_changed', () => kept.clear());
  return async (id) => await kept.forceFetch(id);
}
