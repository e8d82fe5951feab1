import type { After } from '../db/keyset.ts';
import type { Listing } from '../db/listing.ts';

interface Numbered<R> {
  /** The number of rows, whose ids begin at 1. */
  count: number;
  row: (id: number) => R;
  /** Gets the number of rows that each query asks for. */
  fetched?: (rows: number) => void;
}

/** A list of rows that are created when they are read. */
export function numberedList<R>({ count, row, fetched }: Numbered<R>): Listing<R> {
  const idsAfter = (after: After | undefined, limit: number) => {
    const first = (after?.id ?? 0) + 1;
    const length = Math.max(0, Math.min(limit, count + 1 - first));
    return Array.from({ length }, (_, at) => first + at);
  };
  return {
    async page(after, limit) {
      fetched?.(limit);
      return idsAfter(after, limit).map(row);
    },
    keys: async (after, limit) => idsAfter(after, limit).map((id) => ({ value: id, id })),
    async rows(ids) {
      fetched?.(ids.length);
      return ids.map(row);
    },
    count: async () => count,
  };
}
