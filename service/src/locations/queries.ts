import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database, EngineAddress } from '../db/schema.ts';
import type { Subnet } from './subnets.ts';

export type LocationRow = Selectable<Database['locations']>;

/**
 * Whether its engine answers, as far as somebody knows: what a watcher said that hangs by now, or is
 * gone, counts no longer.
 */
export const isReachable = sql<boolean>`(locations.reachable
  and locations.watched_at > now() - interval '30 seconds')`;

/** With whether its engine is known to answer. */
export type ShownLocation = LocationRow & { isReachable: boolean };

export async function findLocation(db: Queryable, id: number): Promise<ShownLocation | undefined> {
  return await shownLocations(db).where('id', '=', id).executeTakeFirst();
}

function shownLocations(db: Queryable) {
  return db.selectFrom('locations').selectAll().select(isReachable.as('isReachable'));
}

/** For ids that our own rows refer to. */
export async function requireLocation(db: Queryable, id: number): Promise<LocationRow> {
  const query = db.selectFrom('locations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

export interface LocationPage {
  enabled?: boolean | undefined;
  /** The id of the last one of the page before. */
  afterId: number;
  limit: number;
}

/** One page, by id. */
export async function listLocations(db: Queryable, page: LocationPage): Promise<ShownLocation[]> {
  let query = shownLocations(db).where('id', '>', page.afterId).orderBy('id');
  if (page.enabled !== undefined) query = query.where('enabled', '=', page.enabled);
  return await query.limit(page.limit).execute();
}

export async function listAllLocations(db: Queryable): Promise<LocationRow[]> {
  return await db.selectFrom('locations').selectAll().orderBy('id').execute();
}

export interface NewLocation {
  name: string;
  description: string;
  engine: EngineAddress;
  incus_project: string;
  storage_pool: string;
  network: string;
  max_cpu: number;
  max_ram_mb: number;
  max_disk_gb: number;
}

/** Enters a location, or brings the one of this name up to date, but for what was administered. */
export async function upsertLocation(trx: Trx, location: NewLocation): Promise<LocationRow> {
  const values = { ...location, engine: JSON.stringify(location.engine) };
  // Were the name, which is a key, among what is set, no server could be created meanwhile that
  // refers to the location, and the two would wait for each other.
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

/** Locked until the transaction ends. */
export async function lockLocation(trx: Trx, id: number): Promise<LocationRow | undefined> {
  const query = trx.selectFrom('locations').selectAll().where('id', '=', id);
  return await query.forNoKeyUpdate().executeTakeFirst();
}

type Changeable =
  | 'description'
  | 'enabled'
  | 'traffic_allowance'
  | 'traffic_counted'
  | 'traffic_policy'
  | 'traffic_throttle'
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
    .returning(isReachable.as('isReachable'))
    .executeTakeFirstOrThrow();
}

/** Enters a pool of addresses, or takes up again one that was retired. */
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

/** Takes no more addresses from a location's pools but these; drops those that none is held of. */
export async function retireOtherPools(
  trx: Trx,
  locationId: number,
  keep: readonly string[],
): Promise<void> {
  await trx
    .updateTable('address_pools')
    .set({ enabled: false })
    .where('location_id', '=', locationId)
    .where('is_of_network', '=', true)
    .where('cidr', 'not in', keep)
    .execute();
  await trx
    .deleteFrom('address_pools')
    .where('location_id', '=', locationId)
    .where('is_of_network', '=', true)
    .where('cidr', 'not in', keep)
    .where(sql<boolean>`not exists (select from addresses where pool_id = address_pools.id)`)
    .execute();
}

/** `reason` says why the engine can't be asked; null: it answers. Notes that somebody watches. */
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
      // Since when is kept while only the reason changes.
      reachable_changed_at: sql<string>`case when reachable = ${reachable} then reachable_changed_at else now() end`,
    })
    .where('id', '=', id)
    .execute();
}
