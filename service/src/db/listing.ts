import { type SelectQueryBuilder, sql } from 'kysely';
import { type After, isBeyond } from './keyset.ts';
import type { Database } from './schema/schema.ts';

/** Rows page by page, and how many there are in all. */
export interface Listing<R> {
  page(after: After | undefined, limit: number): Promise<R[]>;
  count(): Promise<number>;
}

/** What a list is in the order of: a column and then the id, both as a query knows them. */
interface Order {
  sort?: string;
  id: string;
  descending?: boolean;
}

type AnyQuery = SelectQueryBuilder<Database, keyof Database, unknown>;

/**
 * A query as a list. Paging goes by what the last row has, so that it neither skips nor repeats. `counted`
 * is a query of as many rows, for one that joins what it only shows.
 */
export function listing<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { id, sort = id, descending = false }: Order,
  counted: unknown = query,
): Listing<O> {
  const direction = descending ? 'desc' : 'asc';
  return {
    async page(after, limit) {
      const rest = after ? query.where(isBeyond(after, { sort, id, descending })) : query;
      const ordered = rest.orderBy(sql.ref(sort), direction);
      const placed = sort === id ? ordered : ordered.orderBy(sql.ref(id), direction);
      return await placed.limit(limit).execute();
    },
    async count() {
      // Whatever it selects: the type of a query grows with its tables.
      const rows = (counted as AnyQuery).clearSelect();
      const { count } = await rows
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
