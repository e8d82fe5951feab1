import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { Database } from '../db/schema.ts';
import { isReachable } from '../locations/queries.ts';
import { type ShownOperation, shownColumns } from '../operations/queries.ts';

export type NodeState = 'online' | 'offline' | 'evacuated' | 'cordoned' | 'gone' | 'lost';

/** In one word: what the engine says comes before what an administrator wants. */
const state = sql<NodeState>`case
  when nodes.lost then 'lost'
  when nodes.gone then 'gone'
  when nodes.status = 'offline' or not ${isReachable} then 'offline'
  when nodes.evacuated then 'evacuated'
  when nodes.cordoned then 'cordoned'
  else 'online' end`;

/** Cores that its servers use, as last counted. */
const cpuUsed = sql<number>`(
  select coalesce(sum(usage.cpu_percent * servers.cpu) / 100, 0) from servers
  join usage_current usage on usage.server_id = servers.id
  where servers.node_id = nodes.id and servers.deleted_at is null)`;

export type ShownNode = Selectable<Database['nodes']> & {
  state: NodeState;
  location: string;
  cpu_used: number;
};

function nodesInFull(db: Queryable) {
  return db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .selectAll('nodes')
    .select(['locations.name as location', state.as('state'), cpuUsed.as('cpu_used')]);
}

/** One that is gone is shown as long as servers are on it. */
function shownNodes(db: Queryable) {
  return nodesInFull(db).where((eb) =>
    eb.or([eb('nodes.gone', '=', false), eb('nodes.servers', '>', 0)]),
  );
}

/** Whether it is to take no new servers. */
export async function setCordoned(trx: Trx, id: number, cordoned: boolean): Promise<void> {
  await trx.updateTable('nodes').set({ cordoned }).where('id', '=', id).execute();
}

export interface NodePage {
  locationId?: number | undefined;
  state?: NodeState | undefined;
  /** The id of the last one of the page before. */
  afterId: number;
  limit: number;
}

/** One page, by id. */
export async function listNodes(db: Queryable, page: NodePage): Promise<ShownNode[]> {
  let query = shownNodes(db).where('nodes.id', '>', page.afterId).orderBy('nodes.id');
  if (page.locationId) query = query.where('nodes.location_id', '=', page.locationId);
  if (page.state) query = query.where(state, '=', page.state);
  return await query.limit(page.limit).execute();
}

/** Those of a name, of which each location may have one; two at most. */
export async function findNodes(
  db: Queryable,
  name: string,
  locationId: number | undefined,
): Promise<ShownNode[]> {
  let query = shownNodes(db).where('nodes.name', '=', name);
  if (locationId) query = query.where('nodes.location_id', '=', locationId);
  return await query.orderBy('nodes.id').limit(2).execute();
}

/** Also one that is gone. */
export async function nodeById(db: Queryable, id: number): Promise<ShownNode> {
  return await nodesInFull(db).where('nodes.id', '=', id).executeTakeFirstOrThrow();
}

/** What decides whether a server can go to a node. */
export interface NodeRoom {
  id: number;
  name: string;
  status: 'online' | 'offline';
  evacuated: boolean;
  cordoned: boolean;
  failureDomain: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  /** What the servers on it were given together, stopped ones included. */
  cpuAllocated: number;
  ramAllocatedMb: number;
  diskAllocatedGb: number;
}

const roomColumns = [
  'id',
  'name',
  'status',
  'evacuated',
  'cordoned',
  'failure_domain as failureDomain',
  'cpu',
  'ram_mb as ramMb',
  'disk_gb as diskGb',
  'allocated_cpu as cpuAllocated',
  'allocated_ram_mb as ramAllocatedMb',
  'allocated_disk_gb as diskAllocatedGb',
] as const;

/** All that a location has, by id, as they are at this moment. */
export async function roomOfNodes(trx: Trx, locationId: number): Promise<NodeRoom[]> {
  return await trx
    .selectFrom('nodes')
    .select(roomColumns)
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .where('lost', '=', false)
    .orderBy('id')
    .execute();
}

/**
 * Locks a node until the transaction ends, if `fits` holds for it once it is locked. One that it does
 * not hold for is let go of: no transaction waits for a node while it holds another, so that none can
 * wait for each other.
 */
export async function lockNodeIf(
  trx: Trx,
  id: number,
  fits: (node: NodeRoom) => boolean,
): Promise<boolean> {
  await sql`savepoint before_node`.execute(trx);
  const query = trx.selectFrom('nodes').select(roomColumns).where('id', '=', id);
  const there = query.where('gone', '=', false).where('lost', '=', false);
  const node = await there.forNoKeyUpdate().executeTakeFirst();
  if (node && fits(node)) return true;
  await sql`rollback to savepoint before_node`.execute(trx);
  return false;
}

/** How many servers of a project's group are at a location, by the id of their node. */
export async function groupByNode(
  project: Project,
  locationId: number,
  group: string,
): Promise<Map<number, number>> {
  const rows = await project
    .select('servers')
    .select(['node_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('location_id', '=', locationId)
    .where('group_name', '=', group)
    .where('deleted_at', 'is', null)
    .groupBy('node_id')
    .execute();
  return new Map(rows.map(({ node_id, count }) => [node_id, count]));
}

/** What the engine says of a node; null where it did not tell: what was known then stays. */
export interface NodeFacts {
  name: string;
  /** Its name as a member of a cluster; null where there is none. */
  member: string | null;
  status: 'online' | 'offline';
  evacuated: boolean;
  failureDomain: string;
  machine: { cpu: number; ramMb: number; ramUsedMb: number; version: string } | null;
  /** Of the location's storage pool. */
  disk: { gb: number; usedGb: number } | null;
}

/** Not entered since. One that lies ahead was entered before the clock was set back. */
const isOlder = (readAt: string) =>
  sql<boolean>`(nodes.updated_at <= ${readAt} or nodes.updated_at > clock_timestamp())`;

/**
 * Enters all the nodes that a location has. Those that were known and are no longer among them are
 * gone. `answering` is the name of the one that was asked: where there was no cluster before, the one
 * node that there was is it, whatever it was called. `readAt` is a `databaseTime` from before the
 * reading: it counts for nothing where an operation has entered something since.
 */
export async function enterNodes(
  trx: Trx,
  locationId: number,
  { facts, answering, readAt }: { facts: NodeFacts[]; answering: string; readAt: string },
): Promise<void> {
  // In one order, as everybody locks them who needs more than one: see migration 0018.
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
  // The machine is another one to its servers, which are to be rebuilt elsewhere or deleted.
  await sql`
    update nodes set name = name || ' (lost ' || id || ')', member = null
    where location_id = ${locationId} and lost and gone and servers > 0
      and name = any(${names}::text[]) and ${older}`.execute(trx);
  const rows = facts.map(({ machine, disk, ...node }) => ({ ...node, ...machine, disk }));
  const seen = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as seen (
    name text, member text, status text, evacuated boolean, "failureDomain" text, cpu integer,
    "ramMb" integer, "ramUsedMb" integer, version text, disk jsonb)`;
  await sql`
    insert into nodes (location_id, name, member, status, cpu, ram_mb, updated_at)
    select ${locationId}, name, member, status, 0, 0, ${readAt}::timestamptz from ${seen} order by name
    on conflict (location_id, name) do nothing`.execute(trx);
  await sql`
    update nodes set
      member = seen.member, status = seen.status, evacuated = seen.evacuated,
      status_since = case when nodes.status = seen.status then status_since else now() end,
      -- One that was forgotten is there anew.
      lost = lost and not gone, gone = false,
      failure_domain = seen."failureDomain", cpu = coalesce(seen.cpu, nodes.cpu),
      ram_mb = coalesce(seen."ramMb", nodes.ram_mb),
      ram_used_mb = coalesce(seen."ramUsedMb", ram_used_mb),
      incus_version = coalesce(seen.version, incus_version),
      disk_gb = coalesce((seen.disk ->> 'gb')::integer, disk_gb),
      disk_used_gb = coalesce((seen.disk ->> 'usedGb')::float8, disk_used_gb),
      updated_at = now()
    from ${seen}
    where location_id = ${locationId} and nodes.name = seen.name and ${older}`.execute(trx);
  await sql`
    update nodes set gone = true, status = 'offline', updated_at = now(),
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
 * Enters that a member of a location's cluster can't be asked, until the nodes are looked at again. One
 * that was looked at since `readAt`, a `databaseTime` from before it was asked, is as it was then.
 */
export async function setSilent(
  db: Queryable,
  locationId: number,
  member: string,
  readAt: string,
): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ status: 'offline', status_since: sql`now()`, updated_at: sql`now()` })
    .where('location_id', '=', locationId)
    .where('member', '=', member)
    .where('status', '<>', 'offline')
    .where(isOlder(readAt))
    .execute();
}

/** The members of a location's cluster that were there, or away, when they were last looked at. */
export async function membersThatWere(
  db: Queryable,
  locationId: number,
  status: 'online' | 'offline',
): Promise<string[]> {
  const members = await db
    .selectFrom('nodes')
    .select('member')
    .where('location_id', '=', locationId)
    .where('status', '=', status)
    .where('gone', '=', false)
    .where('member', 'is not', null)
    .$narrowType<{ member: string }>()
    .execute();
  return members.map(({ member }) => member);
}

/** A server that an operation on a node moves, as the API shows it. */
export interface MovedServer {
  id: number;
  hostname: string;
  state: 'waiting' | 'moving' | 'moved' | 'failed' | 'deleted';
  node: string;
  reason: string | null;
  operation_id: number | null;
}

export type NodeOperation = ShownOperation & { node: string; servers: MovedServer[] };

/** An operation on a node, with the servers that it moves. They are of any project. */
export async function findNodeOperation(
  db: Queryable,
  id: number,
): Promise<NodeOperation | undefined> {
  const row = await db
    .selectFrom('operations')
    .innerJoin('nodes', 'nodes.id', 'operations.node_id')
    .select(shownColumns.map((column) => `operations.${column}` as const))
    .select('nodes.name as node')
    .where('operations.id', '=', id)
    .executeTakeFirst();
  return row && { ...row, servers: await movedServers(db, id) };
}

/** Those whose move was entered; while it goes on, or where one was refused, those that are left. */
async function movedServers(db: Queryable, operationId: number): Promise<MovedServer[]> {
  const { rows } = await sql<MovedServer>`
    with parent as (select * from operations where id = ${operationId}),
    move as (
      select distinct on (server_id) * from operations
      where parent_id = ${operationId} order by server_id, id desc
    ),
    -- Each by an index: a node has few of all servers.
    still_there as (
      select s.id from parent join servers s on s.node_id = parent.node_id
      where parent.kind = 'evacuate' and s.deleted_at is null
      union
      select s.id from parent join servers s on s.evacuated_from = parent.node_id
      where parent.kind = 'restore' and s.deleted_at is null
    ),
    concerned as (
      select server_id as id from move
      union
      select still_there.id from parent cross join still_there
      where parent.finished_at is null or parent.state -> 'refused' ? still_there.id::text
    )
    select s.id, s.hostname, move.id as operation_id,
      case
        when s.deleted_at is not null then 'deleted'
        when move.status in ('pending', 'running') then 'moving'
        when move.status = 'succeeded' then 'moved'
        when move.status = 'failed' or refused.reason is not null then 'failed'
        else 'waiting' end as state,
      case when move.status in ('pending', 'running', 'succeeded')
        then move.state -> 'to' ->> 'name' else nodes.name end as node,
      case when s.deleted_at is null then coalesce(move.error ->> 'message', refused.reason) end
        as reason
    from parent cross join concerned join servers s on s.id = concerned.id
    join nodes on nodes.id = s.node_id
    left join move on move.server_id = s.id
    cross join lateral (select parent.state -> 'refused' ->> s.id::text as reason) refused
    order by s.id`.execute(db);
  return rows;
}
