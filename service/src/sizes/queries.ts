import { type Generated, type GeneratedAlways, sql } from 'kysely';
import { arrayOf } from '../db/arrays.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';

interface SizesTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  cpu: number;
  ram_mb: number;
  disk_gb: number;
  /** Bytes a month; null stands for that of the location. */
  traffic_allowance: number | null;
  /** Null for all. */
  location_ids: number[] | null;
  deprecated: Generated<boolean>;
  created_at: Timestamp;
  deleted_at: Timestamp | null;
}

/** What a size costs in a period. Amounts are decimal numbers in text. */
interface SizePricesTable {
  id: GeneratedAlways<number>;
  size_id: number;
  hourly: string;
  /** The most that a month costs; null for no limit. */
  monthly: string | null;
  /** ISO 4217. */
  currency: string;
  from_at: Timestamp;
  /** Null: it is the price now. */
  to_at: Timestamp | null;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    sizes: SizesTable;
    size_prices: SizePricesTable;
  }
}

/** The locations of a size in their order, without removed ones. */
const remainingLocations = sql<number[] | null>`case when sizes.location_ids is not null then array(
  select listed.id from unnest(sizes.location_ids) with ordinality as listed (id, at)
  join locations on locations.id = listed.id and locations.removed_at is null
  order by listed.at) end`;

/** Sizes with their present prices, without deleted ones. */
function shownSizes(db: Queryable) {
  return db
    .selectFrom('sizes')
    .leftJoin('size_prices as price', (join) =>
      join.onRef('price.size_id', '=', 'sizes.id').on('price.to_at', 'is', null),
    )
    .select([
      'sizes.id',
      'sizes.name',
      'sizes.description',
      'sizes.cpu',
      'sizes.ram_mb',
      'sizes.disk_gb',
      'sizes.traffic_allowance',
      remainingLocations.as('location_ids'),
      'sizes.deprecated',
      'sizes.created_at',
      'price.hourly',
      'price.monthly',
      'price.currency',
    ])
    .where('sizes.deleted_at', 'is', null);
}

export type ShownSize = NonNullable<Awaited<ReturnType<typeof findSize>>>;

export async function findSize(db: Queryable, id: number) {
  return await shownSizes(db).where('sizes.id', '=', id).executeTakeFirst();
}

/** A size that a server is about to get. It can't be deleted until the transaction ends. */
export async function findSizeToUse(trx: Queryable, id: number): Promise<ShownSize | undefined> {
  // A server that refers to it takes the same lock.
  const query = shownSizes(trx).where('sizes.id', '=', id).forKeyShare('sizes');
  return await query.executeTakeFirst();
}

export interface SizeFilters {
  /** The beginning of the name. */
  q?: string | undefined;
  /** Any of these locations. */
  location_id?: number[] | undefined;
  deprecated?: boolean | undefined;
}

/** Ordered by id. */
export function listSizes(
  db: Queryable,
  { q, location_id: locations, deprecated }: SizeFilters,
): Listing<ShownSize> {
  let query = shownSizes(db).where(beginsWith(['sizes.name'], q));
  if (deprecated !== undefined) query = query.where('sizes.deprecated', '=', deprecated);
  if (locations) query = query.where(isOfferedAt(locations));
  return listing(query, { id: 'sizes.id' });
}

function isOfferedAt(locations: number[]) {
  return sql<boolean>`(sizes.location_ids is null
    or sizes.location_ids && ${arrayOf(locations)}::integer[])`;
}

/** One at most. */
export async function findSizesNamed(db: Queryable, name: string): Promise<ShownSize[]> {
  return await shownSizes(db).where(isNamed('sizes.name', name)).execute();
}

/** The ids among these that are of sizes, including deleted ones. */
export async function knownSizes(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('sizes').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

/** Held until the transaction ends, so that of two concurrent changes the second one finds what the first did. */
export async function lockSizes(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sizes', 0))`.execute(trx);
}

/** Waits for transactions that give the size to a server, so that the server is then counted. */
export async function lockSizeForDeletion(trx: Trx, id: number): Promise<void> {
  await trx.selectFrom('sizes').select('id').where('id', '=', id).forUpdate().execute();
}

/** What administrators can change. */
export type SizeSettings = Pick<
  ShownSize,
  'name' | 'description' | 'traffic_allowance' | 'location_ids' | 'deprecated'
>;

type NewSize = Omit<SizeSettings, 'deprecated'> & Pick<ShownSize, 'cpu' | 'ram_mb' | 'disk_gb'>;

export async function insertSize(trx: Trx, size: NewSize): Promise<number> {
  const query = trx
    .insertInto('sizes')
    .values({ ...size })
    .returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

export async function updateSize(trx: Trx, id: number, settings: SizeSettings): Promise<void> {
  await trx.updateTable('sizes').set(settings).where('id', '=', id).execute();
}

/** Decimal numbers in text. */
export interface Price {
  hourly: string;
  monthly: string | null;
  currency: string;
}

/** Ends the present price of a size, and begins another one, if there is one. A clock that was set back skips nothing. */
export async function setPrice(trx: Trx, id: number, price: Price | null): Promise<void> {
  await sql`
    update size_prices set to_at = greatest(from_at, now())
    where size_id = ${id} and to_at is null`.execute(trx);
  if (!price) return;
  const { hourly, monthly, currency } = price;
  await sql`
    insert into size_prices (size_id, hourly, monthly, currency, from_at)
    select ${id}::bigint, ${hourly}::numeric, ${monthly}::numeric, ${currency}::text,
      greatest(now(), max(to_at))
    from size_prices where size_id = ${id}`.execute(trx);
}

/** How many servers of all projects have a size, or are being resized to it. */
export async function countServersOf(trx: Trx, id: number): Promise<number> {
  const { count } = await trx
    .selectFrom('servers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('size_id', '=', id), eb('resizing_size_id', '=', id)]))
    .executeTakeFirstOrThrow();
  return count;
}

/** Marks a size as deleted. The row is kept, because statements refer to it. */
export async function markSizeDeleted(trx: Trx, id: number): Promise<void> {
  const deleted_at = sql<string>`now()`;
  await trx.updateTable('sizes').set({ deleted_at }).where('id', '=', id).execute();
}
