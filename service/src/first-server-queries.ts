import { sql } from 'kysely';
import type { Queryable } from './db/connection.ts';

/** The names of a location and of an operating system. */
export interface FirstServer {
  location: string;
  os: string;
}

/**
 * The values for a first create; `undefined` if there is no location for it, or there were servers
 * before.
 */
export async function suggestFirstServer(db: Queryable): Promise<FirstServer | undefined> {
  return await db
    .selectFrom('locations')
    .innerJoin('operating_systems', (join) =>
      join.on(
        sql<boolean>`locations.os_ids is null or operating_systems.id = any(locations.os_ids)`,
      ),
    )
    .select(['locations.name as location', 'operating_systems.slug as os'])
    .where('locations.removed_at', 'is', null)
    .where('locations.enabled', '=', true)
    .where('operating_systems.enabled', '=', true)
    .where(sql<boolean>`not exists (select from servers)`)
    .orderBy('locations.id')
    .orderBy('operating_systems.id')
    .limit(1)
    .executeTakeFirst();
}
