import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Database, EngineAddress, NetworkKind } from '../db/schema/schema.ts';
import type { Subnet } from './subnets.ts';

export type LocationRow = Selectable<Database['locations']>;

/** Whether a service watches it. The report of a watcher that hangs or is gone expires. */
const isWatched = sql<boolean>`(locations.watched_at > now() - interval '30 seconds')`;

/** Whether its engine is reachable according to a watcher. */
export const isReachable = sql<boolean>`(locations.reachable and ${isWatched})`;

/** The time since which it is unreachable: since the last report, or since its engine last answered. */
export const unreachableSince = sql<string>`case when locations.reachable then locations.watched_at
  else locations.reachable_changed_at end`;

/** The maximum of each resource over its nodes; null until a node has reported. */
const largestNode = sql<{ cpu: number | null; ram: number | null; disk: number | null }>`(
  select json_build_object('cpu', nullif(max(nodes.cpu), 0), 'ram', nullif(max(nodes.ram_mb), 0),
    'disk', nullif(max(nodes.disk_gb), 0))
  from nodes where nodes.location_id = locations.id and not nodes.gone and not nodes.lost)`;

/**
 * The number of its drift records that the API lists: see drift/queries.ts. Counting takes a millisecond if there is much
 * of it, so it is done only for those who see it.
 */
const openDrift = (isSeen: boolean) =>
  sql<number | null>`case when ${isSeen} then (
    select count(*)::integer from drift
    where drift.location_id = locations.id and drift.kind <> 'foreign_instance' and drift.is_confirmed
      and not drift.is_forgotten) end`.as('openDrift');

const stateColumns = [
  isReachable.as('isReachable'),
  isWatched.as('isWatched'),
  largestNode.as('largestNode'),
] as const;

/** A location with its reachability and resources. */
export type LocationState = LocationRow & {
  isReachable: boolean;
  isWatched: boolean;
  largestNode: { cpu: number | null; ram: number | null; disk: number | null };
};

/** A location as the API shows it. Only administrators see its drift. */
export type ShownLocation = LocationState & { openDrift: number | null };

export interface Viewer {
  isAdmin: boolean;
}

export async function findLocation(db: Queryable, id: number): Promise<LocationState | undefined> {
  return await locationStates(db).where('id', '=', id).executeTakeFirst();
}

export async function findShownLocation(
  db: Queryable,
  id: number,
  viewer: Viewer,
): Promise<ShownLocation | undefined> {
  return await shownLocations(db, viewer).where('id', '=', id).executeTakeFirst();
}

function locationStates(db: Queryable) {
  const query = db.selectFrom('locations').where('removed_at', 'is', null);
  return query.selectAll().select(stateColumns);
}

const shownLocations = (db: Queryable, { isAdmin }: Viewer) =>
  locationStates(db).select(openDrift(isAdmin));

/** Finds a location by an id from our own rows, even if it was removed. */
export async function requireLocation(db: Queryable, id: number): Promise<LocationRow> {
  const query = db.selectFrom('locations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

/** Locations ordered by id. */
export function listLocations(
  db: Queryable,
  { enabled, q }: { enabled?: boolean | undefined; q?: string | undefined },
  viewer: Viewer,
): Listing<ShownLocation> {
  const query = shownLocations(db, viewer).where(beginsWith(['name'], q));
  return listing(enabled === undefined ? query : query.where('enabled', '=', enabled), {
    id: 'id',
  });
}

/** Locations by name, in any case. */
export async function findLocationsNamed(db: Queryable, name: string) {
  return await db
    .selectFrom('locations')
    .select(['id', 'name'])
    .where('removed_at', 'is', null)
    .where(isNamed('name', name))
    .orderBy('id')
    .execute();
}

/** The ids among these that are of locations, including removed ones. */
export async function knownLocations(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('locations').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

/** The ids among these that are of locations, without removed ones. */
export async function existingLocations(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('locations').select('id').where(isOneOf('id', ids));
  return (await query.where('removed_at', 'is', null).execute()).map(({ id }) => id);
}

export async function listAllLocations(db: Queryable): Promise<LocationState[]> {
  return await locationStates(db).orderBy('id').execute();
}

export async function findLocationNamed(
  db: Queryable,
  name: string,
): Promise<LocationState | undefined> {
  return await locationStates(db).where('name', '=', name).executeTakeFirst();
}

export interface NewLocation {
  name: string;
  description: string;
  engine: EngineAddress;
  incus_project: string;
  storage_pool: string;
  network: string;
  network_kind: NetworkKind;
  vlan: number | null;
  max_cpu: number;
  max_ram_mb: number;
  max_disk_gb: number;
}

/**
 * Inserts a location, or updates the one with this name except for what an administrator has set.
 */
export async function upsertLocation(trx: Trx, location: NewLocation): Promise<LocationRow> {
  const values = { ...location, engine: JSON.stringify(location.engine) };
  // The name is a key and is not updated. Otherwise creates that refer to the location would wait for this transaction,
  // and it for them.
  const { name: _, ...current } = values;
  const unlessAdministered = (column: 'description' | 'max_cpu' | 'max_ram_mb' | 'max_disk_gb') =>
    sql<never>`case when locations.is_administered then ${sql.ref(`locations.${column}`)}
      else ${sql.ref(`excluded.${column}`)} end`;
  return await trx
    .insertInto('locations')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        ...current,
        description: unlessAdministered('description'),
        max_cpu: unlessAdministered('max_cpu'),
        max_ram_mb: unlessAdministered('max_ram_mb'),
        max_disk_gb: unlessAdministered('max_disk_gb'),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Makes the next start accept the engine that it finds. */
export async function forgetEngine(trx: Trx, id: number): Promise<void> {
  const engine = sql<string>`engine - 'fingerprint'`;
  await trx.updateTable('locations').set({ engine }).where('id', '=', id).execute();
}

/** Records the subnets of its network, if they have changed. */
export async function setNetworkSubnets(
  db: Queryable,
  id: number,
  subnets: string[],
): Promise<void> {
  await sql`
    update locations set network_subnets = ${subnets}::cidr[]
    where id = ${id} and network_subnets is distinct from ${subnets}::cidr[]`.execute(db);
}

/** Finds a location, and locks it until the transaction ends. */
export async function lockLocation(trx: Trx, id: number): Promise<LocationRow | undefined> {
  const query = trx.selectFrom('locations').selectAll().where('id', '=', id);
  return await query.where('removed_at', 'is', null).forNoKeyUpdate().executeTakeFirst();
}

type Changeable =
  | 'description'
  | 'enabled'
  | 'traffic_allowance'
  | 'traffic_counted'
  | 'traffic_policy'
  | 'traffic_throttle'
  | 'os_ids'
  | 'creates_per_node'
  | 'allowed_destinations'
  | 'smtp'
  | 'adopt_from'
  | `overcommit_${'cpu' | 'ram' | 'disk'}`
  | `${'min' | 'max'}_${'cpu' | 'ram_mb' | 'disk_gb'}`;

export async function updateLocation(
  trx: Trx,
  id: number,
  values: Pick<LocationRow, Changeable>,
): Promise<ShownLocation> {
  return await trx
    .updateTable('locations')
    .set({ ...values, is_administered: true })
    .where('id', '=', id)
    .returningAll()
    .returning(stateColumns)
    .returning(openDrift(true))
    .executeTakeFirstOrThrow();
}

/** Inserts an address pool, or enables one that was retired. */
export async function insertPool(trx: Trx, locationId: number, pool: Subnet): Promise<void> {
  await trx
    .insertInto('address_pools')
    .values({ location_id: locationId, ...pool })
    .onConflict((conflict) =>
      conflict
        .column('cidr')
        .doUpdateSet({ enabled: true })
        .where('address_pools.location_id', '=', locationId),
    )
    .execute();
}

/** Disables all pools of a location except these; deletes those without taken addresses. */
export async function retireOtherPools(
  trx: Trx,
  locationId: number,
  keep: readonly string[],
): Promise<void> {
  const isAnother = sql<boolean>`cidr <> all(${[...keep]}::cidr[])`;
  await trx
    .updateTable('address_pools')
    .set({ enabled: false })
    .where('location_id', '=', locationId)
    .where('is_of_network', '=', true)
    .where(isAnother)
    .execute();
  await trx
    .deleteFrom('address_pools')
    .where('location_id', '=', locationId)
    .where('is_of_network', '=', true)
    .where(isAnother)
    .where(sql<boolean>`not exists (select from addresses where pool_id = address_pools.id)`)
    .execute();
}

/** A pool of another location that shares addresses with a subnet. */
export async function overlappingPool(
  db: Queryable,
  cidr: string,
  ownId: number | undefined,
): Promise<{ location: string } | undefined> {
  return await db
    .selectFrom('address_pools as pool')
    .innerJoin('locations', 'locations.id', 'pool.location_id')
    .select('locations.name as location')
    .where(sql<boolean>`pool.cidr && ${cidr}::cidr`)
    .where('pool.location_id', 'is distinct from', ownId ?? null)
    .executeTakeFirst();
}

export async function countServers(db: Queryable, locationId: number): Promise<number> {
  const { count } = await db
    .selectFrom('servers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('location_id', '=', locationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Marks a location as removed, unless `refuse` throws for its number of servers. Its name can be used again. A create
 * in progress locks a pool until it commits, so it is either counted or finds no pool.
 */
export async function removeLocationRow(
  trx: Trx,
  { id, name }: Pick<LocationRow, 'id' | 'name'>,
  refuse: (servers: number) => void,
): Promise<void> {
  const pools = trx.selectFrom('address_pools').select('id').where('location_id', '=', id);
  await pools.orderBy('id').forUpdate().execute();
  refuse(await countServers(trx, id));
  await trx.deleteFrom('address_pools').where('location_id', '=', id).execute();
  await trx.deleteFrom('images').where('location_id', '=', id).execute();
  await trx.deleteFrom('drift').where('location_id', '=', id).execute();
  await trx
    .updateTable('nodes')
    .set({ gone: true, status: 'offline' })
    .where('location_id', '=', id)
    .execute();
  await trx
    .updateTable('locations')
    .set({ name: `${name}#${id}`, enabled: false, removed_at: sql<string>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Records that the location is watched, and why its engine can't be reached; `reason` is null if it answers. */
export async function setReachability(
  db: Queryable,
  id: number,
  reason: string | null,
): Promise<void> {
  const reachable = reason === null;
  await db
    .updateTable('locations')
    .set({
      reachable,
      unreachable_reason: reason,
      watched_at: sql<string>`now()`,
      // The time is kept if only the reason changes. A location that nobody has watched for a while
      // counts as unreachable since then.
      reachable_changed_at: sql<string>`case
        when ${reachable} and ${isReachable} or not ${reachable} and not reachable
        then reachable_changed_at else now() end`,
    })
    .where('id', '=', id)
    .execute();
}
