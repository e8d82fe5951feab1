import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import { lostWithNode } from '../nodes/lost-queries.ts';

const statusOfEngine = sql<ServerStatus>`case real_status when 'not_exists' then 'error' else real_status end`;

const removed =
  'Its instance no longer exists in the engine, which has lost it or from which somebody has removed it. Delete the server.';
/** One that was on its way from a node when that was given up is seen to have gone with it. */
const vanished = sql<string>`(
  select case when nodes.lost then ${lostWithNode} else ${removed} end
  from nodes where nodes.id = servers.node_id)`;
const broken = 'The engine reports its instance to be broken; see its log there.';

const errorOfEngine = sql<string | null>`case real_status
  when 'not_exists' then ${vanished} when 'error' then ${broken} end`;

/** Sets a server's status, and its error, to what the engine last showed of it. */
export async function followEngineStatus(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ status: statusOfEngine, error: errorOfEngine })
    .where('id', '=', id)
    .execute();
}

export interface Sighting {
  uuid: string;
  status: EngineStatus;
}

/**
 * Enters what the engine shows of servers. `readAt` is a `databaseTime` from before the reading: where a
 * later one, or an operation, has entered a change since, it counts for nothing. Their `status` follows
 * where no operation is about to change it. Returns the ids of those that changed.
 */
export async function enterSightings(
  db: Db,
  readAt: string,
  sightings: Sighting[],
): Promise<number[]> {
  return await db.transaction().execute(async (trx) => {
    const news = await lockNews(trx, readAt, sightings);
    return news.length > 0 ? await enterNews(trx, readAt, news) : [];
  });
}

/** Whether a sighting, of `seen_status`, tells anything new of a server, of which `settled` is known. */
const isNews = (readAt: string) => sql<boolean>`
  -- One that lies ahead was entered before the clock was set back.
  (servers.real_status_at <= ${readAt} or servers.real_status_at > clock_timestamp())
  and (servers.real_status <> seen.status or (settled and servers.status <> seen_status.status))`;

const ofSightings = (sightings: Sighting[]) => sql`
  unnest(${sightings.map((s) => s.uuid)}::uuid[], ${sightings.map((s) => s.status)}::text[])
    as seen (uuid, status)
  cross join lateral (
    select case seen.status when 'not_exists' then 'error' else seen.status end as status
  ) seen_status
  cross join lateral (
    select s.installed_at is not null and s.status <> 'deleting' and not exists (
      select from operations o where o.server_id = s.id and o.finished_at is null
    ) as settled from servers s where s.uuid = seen.uuid
  ) as at_rest`;

/**
 * Locks the servers that a sighting tells anything new of, and answers those sightings. A request may
 * hold one of them: what it then commits is seen by the next statement, and not by this one.
 */
async function lockNews(trx: Trx, readAt: string, sightings: Sighting[]): Promise<Sighting[]> {
  const { rows } = await sql<Sighting>`
    select servers.uuid, seen.status
    from ${ofSightings(sightings)}
    join servers on servers.uuid = seen.uuid and servers.deleted_at is null
    where ${isNews(readAt)}
    order by servers.id
    for no key update of servers`.execute(trx);
  return rows;
}

async function enterNews(trx: Trx, readAt: string, news: Sighting[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update servers set
      real_status = seen.status,
      real_status_at = case when servers.real_status = seen.status then servers.real_status_at
        else ${readAt} end,
      status = case when settled then seen_status.status else servers.status end,
      error = case
        when not settled then servers.error
        when seen.status = 'not_exists' then ${vanished}
        when seen.status = 'error' then ${broken}
        else null end
    from ${ofSightings(news)}
    where servers.uuid = seen.uuid and servers.deleted_at is null and ${isNews(readAt)}
    returning servers.id`.execute(trx);
  return rows.map((row) => row.id);
}

/**
 * Enters on which members of a location's cluster instances are: an administrator may have moved them,
 * or evacuated a member. Room that was held for a move is let go of once it is seen where that ended.
 * What an operation does, or did since `readAt`, is left to it. One by one, in transactions of their
 * own: nobody is to wait for a node while he holds another.
 */
export async function enterMembers(
  db: Db,
  locationId: number,
  readAt: string,
  seen: { uuid: string; member: string }[],
): Promise<void> {
  const { rows } = await sql<{ id: number; node: number }>`
    select servers.id, nodes.id as node
    from unnest(${seen.map(({ uuid }) => uuid)}::uuid[], ${seen.map(({ member }) => member)}::text[])
      as seen (uuid, member)
    join nodes on nodes.location_id = ${locationId} and nodes.member = seen.member
    join servers on servers.uuid = seen.uuid and servers.location_id = ${locationId}
    where servers.deleted_at is null
      and (servers.node_id <> nodes.id or servers.moving_to is not null)`.execute(db);
  for (const { id, node } of rows) {
    await db.transaction().execute((trx) => enterMember(trx, readAt, { id, node }));
  }
}

/** Locked first, so that an operation that a request begins meanwhile is seen. */
async function enterMember(trx: Trx, readAt: string, seen: { id: number; node: number }) {
  const { id, node } = seen;
  await trx.selectFrom('servers').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  await sql`
    update servers set
      node_id = ${node},
      moving_to = null,
      evacuated_from = case when node_id = ${node} then evacuated_from end
    where id = ${id} and deleted_at is null and not exists (
      select from operations o where o.server_id = servers.id
        and (o.finished_at is null or o.finished_at >= ${readAt})
    )`.execute(trx);
}

/** The servers of a location that have an instance as far as we know, and are not about to lose it. */
export async function serversWithInstance(
  db: Queryable,
  locationId: number,
): Promise<{ id: number; uuid: string }[]> {
  return await db
    .selectFrom('servers')
    .select(['id', 'uuid'])
    .where('location_id', '=', locationId)
    .where((eb) =>
      eb.or([eb('installed_at', 'is not', null), eb('real_status', '<>', 'not_exists')]),
    )
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'deleting')
    .execute();
}

/** Servers by their uuid, deleted ones included. */
export async function serversOf(
  db: Queryable,
  uuids: string[],
): Promise<Map<string, { isDeleted: boolean }>> {
  const rows = await db
    .selectFrom('servers')
    .select(['uuid', 'deleted_at'])
    .where(sql<boolean>`uuid = any(${uuids}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.uuid, { isDeleted: row.deleted_at !== null }]));
}

/** Which server an operation was about. */
export async function serverOfOperation(
  db: Queryable,
  operationId: number,
): Promise<{ uuid: string; locationId: number } | undefined> {
  return await db
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .select(['servers.uuid', 'servers.location_id as locationId'])
    .where('operations.id', '=', operationId)
    .where('servers.deleted_at', 'is', null)
    .executeTakeFirst();
}
