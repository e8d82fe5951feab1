import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/connection.ts';
import { lockUsage } from '../record/reading-queries.ts';

export interface OldDiskUse {
  /** When it was last read, at the latest. */
  before: Date;
  /** The id of a server: those after it come first, and then the others. */
  after: number;
  limit: number;
}

/** Servers that run, or are paused, on online nodes of a location, and whose disk use is old. */
export async function serversWithOldDiskUse(
  db: Queryable,
  locationId: number,
  { before, after, limit }: OldDiskUse,
) {
  return await db
    .selectFrom('servers')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .innerJoin('operating_systems as os', 'os.id', 'servers.os_id')
    .innerJoin('usage_current as usage', 'usage.server_id', 'servers.id')
    .select(['servers.id', 'servers.uuid', 'servers.node_id', 'os.type'])
    .where('servers.location_id', '=', locationId)
    .where('servers.deleted_at', 'is', null)
    .where('servers.real_status', 'in', ['started', 'paused'])
    .where('nodes.status', '=', 'online')
    .where((eb) =>
      eb.or([
        eb('usage.disk_read_at', 'is', null),
        eb('usage.disk_read_at', '<', before.toISOString()),
        // Read before the clock was set back.
        eb('usage.disk_read_at', '>', sql<string>`clock_timestamp() + interval '1 minute'`),
      ]),
    )
    .orderBy((eb) => eb('servers.id', '<=', after))
    .orderBy('servers.id')
    .limit(limit)
    .execute();
}

export interface DiskUse {
  serverId: number;
  uuid: string;
  diskGb: number;
  readAt: Date;
}

export async function setDiskUse(db: Db, locationId: number, used: DiskUse[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // It changes the same rows as a round of the counters, in another order.
    await lockUsage(trx, locationId);
    await sql`
      update usage_current u
      set disk_gb = r.disk_gb, disk_read_at = r.read_at
      from unnest(
        ${used.map((u) => u.serverId)}::bigint[],
        ${used.map((u) => u.diskGb)}::float8[],
        ${used.map((u) => u.readAt)}::timestamptz[]
      ) as r (server_id, disk_gb, read_at)
      where u.server_id = r.server_id
    `.execute(trx);
  });
}
