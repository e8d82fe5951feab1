import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

export interface Node {
  name: string;
  /** Its name in the cluster; null where there is none. */
  member: string | null;
}

/** Who can be asked for metrics. */
export async function onlineNodes(db: Queryable, locationId: number): Promise<Node[]> {
  return await db
    .selectFrom('nodes')
    .select(['name', 'member'])
    .where('location_id', '=', locationId)
    .where('status', '=', 'online')
    .execute();
}

/** How many servers are on online nodes of a location. */
export interface Readable {
  servers: number;
  /** Which part of them is to be read at a time, so that of all locations it is `most`. */
  share: number;
}

export async function readable(db: Queryable, locationId: number, most: number): Promise<Readable> {
  const { rows } = await sql<{ here: number; all: number }>`
    select coalesce(sum(servers) filter (where location_id = ${locationId}), 0)::float8 as here,
      coalesce(sum(servers), 0)::float8 as all
    from nodes where status = 'online'`.execute(db);
  const { here, all } = rows[0] ?? { here: 0, all: 0 };
  return { servers: here, share: Math.min(1, most / all) };
}
