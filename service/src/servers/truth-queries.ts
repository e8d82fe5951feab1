import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import { lostWithNode } from '../nodes/lost-queries.ts';
import type { ServerSize } from './queries.ts';
import { setPartlyResized, setServerResized } from './worker-queries.ts';

const statusOfEngine = sql<ServerStatus>`case real_status when 'not_exists' then 'error' else real_status end`;

const removed =
  'Its instance no longer exists in the engine, which has lost it or from which somebody has removed it. Rebuild the server, which creates it again without its data, or delete it.';
/**
 * The error of a vanished server: if its node was declared lost while it was being moved away, it
 * is lost with the node.
 */
const vanished = sql<string>`(
  select case when nodes.lost then ${lostWithNode} else ${removed} end
  from nodes where nodes.id = servers.node_id)`;
const broken = 'The engine reports its instance to be broken; see its log there.';

const errorOfEngine = sql<string | null>`case real_status
  when 'not_exists' then ${vanished} when 'error' then ${broken} end`;

/** Sets the status and the error of a server from its last observed status, if it is installed. */
export async function followEngineStatus(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ status: statusOfEngine, error: errorOfEngine })
    .where('id', '=', id)
    .where('installed_at', 'is not', null)
    .execute();
}

export interface ObservedStatus {
  uuid: string;
  status: EngineStatus;
}

/**
 * Applies the observed statuses of servers. `readAt` is a `databaseTime` from before they were
 * read: a status is ignored if a later reading, or an operation, has changed the server since.
 * `status` follows the observed one unless an operation is about to change it. Returns the ids of
 * the servers that changed.
 */
export async function applyObservedStatuses(
  db: Db,
  readAt: string,
  sightings: ObservedStatus[],
): Promise<number[]> {
  // Most change nothing, which needs no transaction.
  if ((await findChanged(db, readAt, sightings)).length === 0) return [];
  return await db.transaction().execute(async (trx) => {
    const news = await findChanged(trx, readAt, sightings, sql`for no key update of servers`);
    return await updateChanged(trx, readAt, news);
  });
}

/**
 * Whether an observed status (`seen_status`) changes a server; `settled` says that no operation
 * works on it.
 */
const isChange = (readAt: string) => sql<boolean>`
  -- One that lies ahead was entered before the clock was set back.
  (servers.real_status_at <= ${readAt} or servers.real_status_at > clock_timestamp())
  and (servers.real_status <> seen.status or (settled and servers.status <> seen_status.status))`;

/**
 * Rows of a UUID and a text. A single row is not passed as an array: PostgreSQL assumes more rows in its generic plan, so
 * that it would plan the query in each execution, which takes ten times as long as the query itself.
 */
function seenRows(rows: { uuid: string; text: string }[]) {
  const [one] = rows;
  if (one && rows.length === 1) return sql`(select ${one.uuid}::uuid, ${one.text}::text)`;
  return sql`unnest(${rows.map(({ uuid }) => uuid)}::uuid[], ${rows.map(({ text }) => text)}::text[])`;
}

const observedRows = (sightings: ObservedStatus[]) => sql`
  ${seenRows(sightings.map(({ uuid, status }) => ({ uuid, text: status })))} as seen (uuid, status)
  cross join lateral (
    select case seen.status when 'not_exists' then 'error' else seen.status end as status
  ) seen_status
  cross join lateral (
    select s.installed_at is not null and s.status <> 'deleting' and not exists (
      select from operations o where o.server_id = s.id and o.finished_at is null
    ) as settled from servers s where s.uuid = seen.uuid
  ) as at_rest`;

/**
 * Returns the observed statuses that change a server, and locks those servers as `lock` says. A
 * request may hold one of the locks; the next statement sees what it commits, this one does not.
 */
async function findChanged(
  db: Queryable,
  readAt: string,
  sightings: ObservedStatus[],
  lock = sql``,
): Promise<ObservedStatus[]> {
  const { rows } = await sql<ObservedStatus>`
    select servers.uuid, seen.status
    from ${observedRows(sightings)}
    join servers on servers.uuid = seen.uuid and servers.deleted_at is null
    where ${isChange(readAt)}
    order by servers.id
    ${lock}`.execute(db);
  return rows;
}

async function updateChanged(trx: Trx, readAt: string, news: ObservedStatus[]): Promise<number[]> {
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
    from ${observedRows(news)}
    where servers.uuid = seen.uuid and servers.deleted_at is null and ${isChange(readAt)}
    returning servers.id`.execute(trx);
  return rows.map((row) => row.id);
}

/**
 * Records on which members of a location's cluster instances are: an administrator may have moved
 * them, or evacuated a member. Capacity that was reserved for a move is released once the instance
 * is seen on its node. Servers with an operation in progress, or one that ended since `readAt`, are
 * skipped. Each server has its own transaction, so that none waits for the lock of one node while
 * it holds another.
 */
export async function applyObservedMembers(
  db: Db,
  locationId: number,
  readAt: string,
  seen: { uuid: string; member: string }[],
): Promise<void> {
  const { rows } = await sql<{ id: number; node: number }>`
    select servers.id, nodes.id as node
    from ${seenRows(seen.map(({ uuid, member }) => ({ uuid, text: member })))} as seen (uuid, member)
    join nodes on nodes.location_id = ${locationId} and nodes.member = seen.member
    join servers on servers.uuid = seen.uuid and servers.location_id = ${locationId}
    where servers.deleted_at is null
      and (servers.node_id <> nodes.id or servers.moving_to is not null)`.execute(db);
  for (const { id, node } of rows) {
    await db.transaction().execute((trx) => applyObservedMember(trx, readAt, { id, node }));
  }
}

/** Whether no operation on a server is in progress, or has ended since `readAt`. */
const isAtRest = (readAt: string) => sql<boolean>`(servers.deleted_at is null and not exists (
  select from operations o where o.server_id = servers.id
    and (o.finished_at is null or o.finished_at >= ${readAt})))`;

/** Locks the server first, so that an operation that a request starts meanwhile is seen. */
async function lockObserved(trx: Trx, id: number): Promise<void> {
  await trx.selectFrom('servers').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

async function applyObservedMember(trx: Trx, readAt: string, seen: { id: number; node: number }) {
  const { id, node } = seen;
  await lockObserved(trx, id);
  await sql`
    update servers set
      node_id = ${node},
      moving_to = null,
      evacuated_from = case when node_id = ${node} then evacuated_from end
    where id = ${id} and ${isAtRest(readAt)}`.execute(trx);
}

/** A server for which another size is reserved, although no operation gives it that. */
interface Unsettled {
  id: number;
  uuid: string;
  before: ServerSize;
  wanted: ServerSize;
}

/**
 * The servers of a location whose resize has ended without having seen their size: it was superseded, could not read it,
 * or was ended by a service that does not know it.
 */
export async function unsettledServers(
  db: Queryable,
  locationId: number,
  readAt: string,
): Promise<Unsettled[]> {
  const rows = await db
    .selectFrom('servers')
    .select(['id', 'uuid', 'cpu', 'ram_mb', 'disk_gb'])
    .select(['resizing_cpu', 'resizing_ram_mb', 'resizing_disk_gb'])
    .where('location_id', '=', locationId)
    .where('resizing_cpu', 'is not', null)
    .where(isAtRest(readAt))
    .execute();
  return rows.map((row) => {
    const before = { cpu: row.cpu, ramMb: row.ram_mb, diskGb: row.disk_gb };
    const wanted = {
      cpu: row.resizing_cpu ?? before.cpu,
      ramMb: row.resizing_ram_mb ?? before.ramMb,
      diskGb: row.resizing_disk_gb ?? before.diskGb,
    };
    return { id: row.id, uuid: row.uuid, before, wanted };
  });
}

interface ObservedSize {
  id: number;
  size: ServerSize;
  /** Whether it gets the row of `sizes` that was asked for, and not only its parts. */
  isResized: boolean;
}

/**
 * Records the size of an unsettled server, and releases what was reserved, unless it has an operation by now, or another
 * comparison has recorded it: its row of `sizes` would be lost.
 */
export async function applyObservedSize(
  db: Db,
  readAt: string,
  { id, size, isResized }: ObservedSize,
): Promise<void> {
  const record = isResized ? setServerResized : setPartlyResized;
  await db.transaction().execute(async (trx) => {
    await lockObserved(trx, id);
    const query = trx
      .selectFrom('servers')
      .select('id')
      .where('id', '=', id)
      .where('resizing_cpu', 'is not', null);
    const rests = await query.where(isAtRest(readAt)).executeTakeFirst();
    if (rests) await record(trx, id, size);
  });
}

/**
 * The servers of a location that have an instance according to the records, and are not being
 * deleted.
 */
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

/** The server of an operation. */
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
