import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/connection.ts';
import { lockUsage } from '../record/reading-queries.ts';

export interface OldDiskUse {
  /** Only figures that were read before this time. */
  before: Date;
  /** Servers with a higher id than this come first, then the others. */
  after: number;
  limit: number;
}

/** Running or paused servers on online nodes of a location whose disk use is outdated. */
export async function serversWithOldDiskUse(
  db: Queryable,
  locationId: number,
  { before, after, limit }: OldDiskUse,
) {
  return await db
    .selectFrom('servers')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .innerJoin('usage_current as usage', 'usage.server_id', 'servers.id')
    .select(['servers.id', 'servers.uuid', 'servers.node_id'])
    // With a join, PostgreSQL would search the servers once for each operating system, because it expects one row of so small a table.
    .select((eb) =>
      eb
        .selectFrom('operating_systems as os')
        .select('os.type')
        .whereRef('os.id', '=', 'servers.os_id')
        .$asScalar()
        .$notNull()
        .as('type'),
    )
    .where('servers.location_id', '=', locationId)
    .where('servers.deleted_at', 'is', null)
    .where('servers.real_status', 'in', ['started', 'paused'])
    .where('nodes.status', '=', 'online')
    .where((eb) =>
      eb.or([
        eb('usage.disk_read_at', 'is', null),
        eb('usage.disk_read_at', '<', before.toISOString()),
        // Their time is in the future: it was read before the clock was set back.
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
    // Locks the rows in the order in which a round of counters does.
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
