import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';

/**
 * What the engine reports about a node. Null fields were not reported, and keep their known values.
 */
export interface NodeFacts {
  name: string;
  /** The name as a member of a cluster; null without a cluster. */
  member: string | null;
  /** Null if it did not answer: a known node keeps its status, and a new one is offline. */
  status: 'online' | 'offline' | null;
  evacuated: boolean;
  failureDomain: string;
  machine: {
    cpu: number;
    ramMb: number;
    ramUsedMb: number;
    version: string;
    kernel: string;
  } | null;
  /** Of the location's storage pool. */
  disk: { gb: number; usedGb: number } | null;
}

/** Not changed since `readAt`. A time in the future is from before the clock was set back. */
const isOlder = (readAt: string) =>
  sql<boolean>`(nodes.updated_at <= ${readAt} or nodes.updated_at > clock_timestamp())`;

/**
 * Updates all nodes of a location. Known nodes that are missing were removed. `answering` is the
 * name of the member that was asked: if there was no cluster before, it is the only node, whatever
 * its name was. `readAt` is a `databaseTime` from before the reading, which is ignored if an
 * operation has changed something since.
 */
export async function applyObservedNodes(
  trx: Trx,
  locationId: number,
  { facts, answering, readAt }: { facts: NodeFacts[]; answering: string; readAt: string },
): Promise<void> {
  // All transactions that lock several nodes use the same order: see migration 0018.
  await trx
    .selectFrom('nodes')
    .select('id')
    .where('location_id', '=', locationId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const older = isOlder(readAt);
  const self = facts.find(({ name }) => name === answering);
  if (self) await adopt(trx, locationId, self);
  const names = facts.map(({ name }) => name);
  // For its servers this is another machine. They must be rebuilt elsewhere or deleted.
  await sql`
    update nodes set name = name || ' (lost ' || id || ')', member = null
    where location_id = ${locationId} and lost and gone and servers > 0
      and name = any(${names}::text[]) and ${older}`.execute(trx);
  const rows = facts.map(({ machine, disk, ...node }) => ({ ...node, ...machine, disk }));
  const seen = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as seen (
    name text, member text, status text, evacuated boolean, "failureDomain" text, cpu integer,
    "ramMb" integer, "ramUsedMb" integer, version text, kernel text, disk jsonb)`;
  await sql`
    insert into nodes (location_id, name, member, status, cpu, ram_mb, updated_at)
    select ${locationId}, name, member, coalesce(status, 'offline'), 0, 0, ${readAt}::timestamptz from ${seen} order by name
    on conflict (location_id, name) do nothing`.execute(trx);
  await sql`
    update nodes set
      member = seen.member, status = coalesce(seen.status, nodes.status),
      evacuated = seen.evacuated,
      status_since = case when nodes.status = coalesce(seen.status, nodes.status) then status_since
        else now() end,
      slow_since = case seen.status when 'offline' then null else slow_since end,
      -- One that was forgotten is there anew.
      lost = lost and not gone, gone = false,
      failure_domain = seen."failureDomain", cpu = coalesce(seen.cpu, nodes.cpu),
      ram_mb = coalesce(seen."ramMb", nodes.ram_mb),
      ram_used_mb = coalesce(seen."ramUsedMb", ram_used_mb),
      incus_version = coalesce(seen.version, incus_version),
      kernel_version = coalesce(seen.kernel, kernel_version),
      disk_gb = coalesce((seen.disk ->> 'gb')::integer, disk_gb),
      disk_used_gb = coalesce((seen.disk ->> 'usedGb')::float8, disk_used_gb),
      -- Silence says nothing of when it was seen.
      updated_at = case when seen.status is null then updated_at else now() end
    from ${seen}
    where location_id = ${locationId} and nodes.name = seen.name and ${older}`.execute(trx);
  await sql`
    update nodes set gone = true, status = 'offline', slow_since = null, updated_at = now(),
      status_since = case status when 'offline' then status_since else now() end
    where location_id = ${locationId} and not gone and ${older}
      and name <> all(${names}::text[])`.execute(trx);
}

/** A machine may change its name, and gets one as a member when a cluster is made of it. */
async function adopt(trx: Trx, locationId: number, { name, member }: NodeFacts): Promise<void> {
  await sql`
    update nodes set name = ${name}, member = ${member}
    where location_id = ${locationId} and member is null and not gone and name <> ${name}
      and not exists (
        select from nodes other where other.location_id = ${locationId} and other.name = ${name}
      )`.execute(trx);
}

/**
 * Records that a member of a location's cluster is unreachable, until the next sync of nodes.
 * Ignored if the member was synced since `readAt`, a `databaseTime` from before it was asked.
 */
export async function recordUnreachable(
  db: Queryable,
  locationId: number,
  member: string,
  readAt: string,
): Promise<void> {
  await db
    .updateTable('nodes')
    .set({
      ...{ status: 'offline', status_since: sql`now()`, slow_since: null },
      updated_at: sql`now()`,
    })
    .where('location_id', '=', locationId)
    .where('member', '=', member)
    .where('status', '<>', 'offline')
    .where(isOlder(readAt))
    .execute();
}

/**
 * Records that a node has answered, slowly or in time. A slow answer brings an unreachable node
 * back; after one in time it is synced first. If it was not slow before and is not slow now, there
 * is nothing to record, which saves a statement for each ping.
 */
export async function recordAnswer(
  db: Queryable,
  locationId: number,
  { member, wasSlow, readAt, isSlow }: Known & { isSlow: boolean },
): Promise<void> {
  if (!wasSlow && !isSlow) return;
  const late = sql`slow_since = coalesce(slow_since, now()), status = 'online', updated_at = now(),
    status_since = case status when 'online' then status_since else now() end`;
  const isNew = sql`(slow_since is null or status = 'offline')`;
  await sql`
    update nodes set ${isSlow ? late : sql`slow_since = null`}
    where location_id = ${locationId} and member is not distinct from ${member} and not gone
      and ${isSlow ? isNew : sql`slow_since is not null`} and ${isOlder(readAt)}`.execute(db);
}

/**
 * Records that all instances of a location were compared, except for those of silent members: the
 * first time in each month, which its statement needs. `readAt` is a `databaseTime` from before the
 * reading.
 */
export async function recordComparison(
  db: Queryable,
  locationId: number,
  readAt: string,
  silent: ReadonlySet<string>,
): Promise<void> {
  // In the same order as in `applyObservedNodes`.
  await sql`
    with due as (
      select id from nodes
      where location_id = ${locationId} and coalesce(member <> all(${[...silent]}::text[]), true)
        and date_trunc('month', now(), 'utc') <= ${readAt}
        and (compared_at is null or compared_at < date_trunc('month', now(), 'utc')
          -- Entered before the clock was set back.
          or compared_at > now())
      order by id for no key update
    )
    update nodes set compared_at = now() from due where nodes.id = due.id`.execute(db);
}

export interface Known {
  /** Null without a cluster. */
  member: string | null;
  /** Whether it is recorded as slow. */
  wasSlow: boolean;
  /** A `databaseTime` from before it is asked. */
  readAt: string;
}

/** The nodes of a location that were online, or offline, at the last sync. */
export async function nodesWithStatus(
  db: Queryable,
  locationId: number,
  status: 'online' | 'offline',
): Promise<Known[]> {
  return await db
    .selectFrom('nodes')
    .select([
      'member',
      sql<boolean>`slow_since is not null`.as('wasSlow'),
      sql<string>`clock_timestamp()`.as('readAt'),
    ])
    .where('location_id', '=', locationId)
    .where('status', '=', status)
    .where('gone', '=', false)
    .execute();
}
