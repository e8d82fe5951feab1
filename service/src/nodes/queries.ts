import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, hasAnyOf, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Database } from '../db/schema/schema.ts';
import { isReachable, unreachableSince } from '../locations/queries.ts';

export type NodeState = 'online' | 'offline' | 'evacuated' | 'cordoned' | 'gone' | 'lost';

/** The state in one word: the engine's status has precedence over an administrator's setting. */
const state = sql<NodeState>`case
  when nodes.lost then 'lost'
  when nodes.gone then 'gone'
  when nodes.status = 'offline' or not ${isReachable} then 'offline'
  when nodes.evacuated then 'evacuated'
  when nodes.cordoned then 'cordoned'
  else 'online' end`;

/**
 * The time since which it has its state, which is also `offline` while its location is unreachable. A node that comes
 * back with its location has its state since then.
 */
const stateSince = sql<string>`case
  when nodes.lost or nodes.gone then nodes.state_since
  when ${isReachable} and nodes.status = 'online'
    then greatest(nodes.state_since, locations.reachable_changed_at)
  when ${isReachable} then nodes.state_since
  when nodes.status = 'offline' then least(nodes.state_since, ${unreachableSince})
  else ${unreachableSince} end`;

/** Whether the engine has removed a lost node, so that nothing is left of its servers. */
const isForgotten = sql<boolean>`(nodes.lost and nodes.gone)`;

/** Whether the engine answers for the servers of a node now. */
export const canBeAsked = sql<boolean>`(${isReachable}
  and (nodes.status = 'online' or ${isForgotten}))`;

/** Cores that its servers use, as last counted. */
const cpuUsed = sql<number>`(
  select coalesce(sum(usage.cpu_percent * servers.cpu) / 100, 0) from servers
  join usage_current usage on usage.server_id = servers.id
  where servers.node_id = nodes.id and servers.deleted_at is null)`;

export type ShownNode = Selectable<Database['nodes']> & {
  state: NodeState;
  shown_since: string;
  location: string;
  overcommit_cpu: number;
  overcommit_ram: number;
  overcommit_disk: number;
  cpu_used: number;
};

function nodesInFull(db: Queryable) {
  return db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .selectAll('nodes')
    .select(['locations.name as location', state.as('state'), stateSince.as('shown_since')])
    .select([
      'locations.overcommit_cpu',
      'locations.overcommit_ram',
      'locations.overcommit_disk',
      cpuUsed.as('cpu_used'),
    ]);
}

/** A removed node is shown as long as it has servers. */
function shownNodes(db: Queryable) {
  return nodesInFull(db).where((eb) =>
    eb.or([eb('nodes.gone', '=', false), eb('nodes.servers', '>', 0)]),
  );
}

/** Whether it accepts no new servers. */
export async function setCordoned(trx: Trx, id: number, cordoned: boolean): Promise<void> {
  await trx.updateTable('nodes').set({ cordoned }).where('id', '=', id).execute();
}

export interface NodeFilters {
  q?: string | undefined;
  location_id?: number[] | undefined;
  status?: NodeState[] | undefined;
  /** The older name of `status`. */
  state?: NodeState[] | undefined;
}

/** Nodes ordered by id. */
export function listNodes(db: Queryable, filters: NodeFilters): Listing<ShownNode> {
  const { q, location_id } = filters;
  let query = shownNodes(db)
    .where(beginsWith(['nodes.name'], q))
    .where(hasAnyOf({ 'nodes.location_id': location_id }));
  for (const wanted of [filters.status, filters.state]) {
    if (wanted) query = query.where(sql<boolean>`${state} = any(${wanted}::text[])`);
  }
  return listing(query, { id: 'nodes.id' });
}

/** Nodes by name, in any case, with their locations. */
export async function findNodesNamed(db: Queryable, name: string) {
  return await db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .select(['nodes.id', 'nodes.name', 'locations.name as location'])
    .where(isNamed('nodes.name', name))
    .where((eb) => eb.or([eb('nodes.gone', '=', false), eb('nodes.servers', '>', 0)]))
    .orderBy('nodes.id')
    .limit(10)
    .execute();
}

/** The ids among these that are of nodes, including removed ones. */
export async function knownNodes(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('nodes').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

/**
 * Nodes by name, in any case; each location may have one. Of names that differ only in case, those that match exactly.
 * Returns two at most.
 */
export async function findNodes(
  db: Queryable,
  name: string,
  locationId: number | undefined,
): Promise<ShownNode[]> {
  let query = shownNodes(db).where(isNamed('nodes.name', name));
  if (locationId) query = query.where('nodes.location_id', '=', locationId);
  const isExact = sql<boolean>`nodes.name = ${name}`;
  const found = await query.orderBy(isExact, 'desc').orderBy('nodes.id').limit(2).execute();
  const exact = found.filter((node) => node.name === name);
  return exact.length > 0 ? exact : found;
}

/** Includes removed nodes. */
export async function nodeById(db: Queryable, id: number): Promise<ShownNode> {
  return await nodesInFull(db).where('nodes.id', '=', id).executeTakeFirstOrThrow();
}
