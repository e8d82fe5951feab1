import { type SelectQueryBuilder, sql } from 'kysely';
import { type After, isBeyond } from './keyset.ts';
import type { Database } from './schema/schema.ts';

/** A list of rows that is read in pages, and their total number. */
export interface Listing<R> {
  page(after: After | undefined, limit: number): Promise<R[]>;
  /** The positions of the rows of a page. */
  keys(after: After | undefined, limit: number): Promise<After[]>;
  /** The rows with these ids that still belong to the list, in its order. */
  rows(ids: number[]): Promise<R[]>;
  count(): Promise<number>;
  /**
   * The number of rows that are read first, before their size is known. A higher number than the default is for rows
   * that are always small, because each query costs more than its rows.
   */
  readonly rowsAtFirst?: number;
}

/** The order of a list: by a column and then by id, both as references in the query. */
interface Order {
  sort?: string;
  id: string;
  descending?: boolean;
}

/** A query whose type is erased, because it grows with the number of its tables. */
type AnyQuery = SelectQueryBuilder<Database, keyof Database, unknown>;

/**
 * Creates a list from a query. Each page begins after the last row of the previous one, so that no row is skipped or
 * repeated.
 */
export function listing<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { id, sort = id, descending = false }: Order,
): Listing<O> {
  const direction = descending ? 'desc' : 'asc';
  const ordered = (rows: typeof query) => {
    const sorted = rows.orderBy(sql.ref(sort), direction);
    return sort === id ? sorted : sorted.orderBy(sql.ref(id), direction);
  };
  const rest = (after: After | undefined) =>
    ordered(after ? query.where(isBeyond(after, { sort, id, descending })) : query);
  return {
    async page(after, limit) {
      return await rest(after).limit(limit).execute();
    },
    async keys(after, limit) {
      const rows = (rest(after) as unknown as AnyQuery).clearSelect();
      const value = sql<string | number>`${sql.ref(sort)}`.as('value');
      const key = sql<number>`${sql.ref(id)}`.as('id');
      return await rows.select([value, key]).limit(limit).execute();
    },
    async rows(ids) {
      const wanted = sql<boolean>`${sql.ref(id)} = any(${ids}::bigint[])`;
      return await ordered(query.where(wanted)).execute();
    },
    async count() {
      const rows = (query as unknown as AnyQuery).clearSelect();
      const { count } = await rows
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

/**
 * Creates a list of rows that are read by their ids, for a query of many tables. PostgreSQL would otherwise plan all of
 * these tables again for each filter, which takes many times as long as to find the rows.
 * @param list the ids, from the table with the filters and the order
 * @param read returns the rows with these ids, in their order
 */
export function listingByIds<R>(
  list: Listing<{ id: number }>,
  read: (ids: number[]) => Promise<R[]>,
): Listing<R> {
  const inFull = async (found: { id: number }[]) => await read(found.map(({ id }) => id));
  return {
    page: async (after, limit) => await inFull(await list.page(after, limit)),
    keys: (after, limit) => list.keys(after, limit),
    rows: async (ids) => await inFull(await list.rows(ids)),
    count: () => list.count(),
  };
}

/** Rows that several reads can get as of one time. */
interface Snapshots<Rows> {
  inSnapshot<T>(read: (rows: Rows) => Promise<T>): Promise<T>;
}

/**
 * Creates a list from one whose query depends on other rows, such as on the labels that a selector selects. Each page
 * reads both as of one time.
 */
export function snapshotListing<Rows, O>(
  snapshots: Snapshots<Rows>,
  list: (rows: Rows) => Promise<Listing<O>>,
): Listing<O> {
  const within = <T>(read: (listing: Listing<O>) => Promise<T>) =>
    snapshots.inSnapshot(async (rows) => read(await list(rows)));
  return {
    page: (after, limit) => within((listing) => listing.page(after, limit)),
    keys: (after, limit) => within((listing) => listing.keys(after, limit)),
    rows: (ids) => within((listing) => listing.rows(ids)),
    count: () => within((listing) => listing.count()),
  };
}
