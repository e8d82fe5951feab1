import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, hasAnyOf, isNamed } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Database } from '../db/schema/schema.ts';
import { isReachable, unreachableSince } from '../locations/queries.ts';

export type NodeState = 'online' | 'offline' | 'evacuated' | 'cordoned' | 'gone' | 'lost';

/** In one word: what the engine says comes before what an administrator wants. */
const state = sql<NodeState>`case
  when nodes.lost then 'lost'
  when nodes.gone then 'gone'
  when nodes.status = 'offline' or not ${isReachable} then 'offline'
  when nodes.evacuated then 'evacuated'
  when nodes.cordoned then 'cordoned'
  else 'online' end`;

/**
 * Since when it is in its state, which is also `offline` while its location does not answer. Who is back
 * with its location has its state since then.
 */
const stateSince = sql<string>`case
  when nodes.lost or nodes.gone then nodes.state_since
  when ${isReachable} and nodes.status = 'online'
    then greatest(nodes.state_since, locations.reachable_changed_at)
  when ${isReachable} then nodes.state_since
  when nodes.status = 'offline' then least(nodes.state_since, ${unreachableSince})
  else ${unreachableSince} end`;

/** Of a node that was given up: there is nothing of its servers any more, as far as the engine knows. */
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
  cpu_used: number;
};

function nodesInFull(db: Queryable) {
  return db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .selectAll('nodes')
    .select(['locations.name as location', state.as('state'), stateSince.as('shown_since')])
    .select(cpuUsed.as('cpu_used'));
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

export interface NodeFilters {
  q?: string | undefined;
  location_id?: number[] | undefined;
  state?: NodeState[] | undefined;
}

/** By id. */
export function listNodes(db: Queryable, filters: NodeFilters): Listing<ShownNode> {
  const { q, location_id, state: states } = filters;
  const query = shownNodes(db)
    .where(beginsWith(['nodes.name'], q))
    .where(hasAnyOf({ 'nodes.location_id': location_id }));
  const shown = states ? query.where(sql<boolean>`${state} = any(${states}::text[])`) : query;
  return listing(shown, { id: 'nodes.id' });
}

/** Those of a name, whose letters may be of another case, with their locations. */
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

/** Of some ids those that are of nodes, also of such as are gone. */
export async function knownNodes(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('nodes').select('id').where('id', 'in', ids);
  return (await query.execute()).map(({ id }) => id);
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
