import type { After } from '../db/keyset.ts';
import type { Listing } from '../db/listing.ts';

/** The number of rows in a part, for rows that may be large. Lists of small rows set another number. */
const rowsAtFirst = 20;
const mostRowsAtOnce = 500;
const bytesAtOnce = 32 * 1024;

/** What all rows of a list are read with. */
export type ListInParts<R> = Pick<Listing<R>, 'page' | 'rowsAtFirst'>;

/** How a row is written, and its position in the list. */
export interface RowFormat<R> {
  write(row: R): string;
  positionOf(row: R): After;
}

/**
 * Writes all rows in parts whose size follows from the rows before, so that a long list holds the
 * event loop and the memory for a few rows at a time only.
 * @param from the position after which the list begins
 */
export async function* allRows<R>(
  list: ListInParts<R>,
  { write, positionOf }: RowFormat<R>,
  from?: After,
): AsyncGenerator<string[]> {
  let after = from;
  let most = list.rowsAtFirst ?? rowsAtFirst;
  for (let areMore = true; areMore; ) {
    const rows = await list.page(after, most);
    const last = rows.at(-1);
    if (!last) return;
    areMore = rows.length === most;
    after = positionOf(last);
    const texts = rows.map(write);
    most = rowsAtOnce(texts);
    yield texts;
  }
}

/** The rows of a page, which are written in parts like all rows. */
interface PageRows {
  parts: AsyncGenerator<string[]>;
  /**
   * Finds out which rows the rest of the page has. Rows that are added later are not on it, and
   * neither are rows that are removed before they are written.
   */
  findEnd(): Promise<void>;
  /** The position of the last row, if more rows follow. It is known after `findEnd` and after the last part. */
  end(): After | undefined;
}

/**
 * @param from the position after which the page begins
 * @param limit the number of rows
 */
export function pageRows<R>(
  list: Listing<R>,
  { write, positionOf }: RowFormat<R>,
  from: After | undefined,
  limit: number,
): PageRows {
  let after = from;
  let left = limit;
  let end: After | undefined;
  /** The ids of the rows that are left, once they are known. */
  let ids: number[] | undefined;

  async function read(most: number): Promise<R[]> {
    if (ids) {
      const part = ids.splice(0, most);
      left = ids.length;
      return await list.rows(part);
    }
    // One row more than the page shows whether there is another page.
    const found = await list.page(after, most + 1);
    const rows = found.slice(0, most);
    const last = rows.at(-1);
    if (last) after = positionOf(last);
    left -= rows.length;
    if (found.length <= most) left = 0;
    else if (left === 0) end = after;
    return rows;
  }

  async function* parts() {
    for (let most = list.rowsAtFirst ?? rowsAtFirst; left > 0; ) {
      const texts = (await read(Math.min(most, left))).map(write);
      if (texts.length === 0) continue;
      most = rowsAtOnce(texts);
      yield texts;
    }
  }

  return {
    parts: parts(),
    async findEnd() {
      if (left === 0) return;
      const keys = await list.keys(after, left + 1);
      if (keys.length > left) end = keys[left - 1];
      ids = keys.slice(0, left).map(({ id }) => id);
      left = ids.length;
    },
    end: () => end,
  };
}

/** How many rows of this size are read at once. */
function rowsAtOnce(texts: string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  return Math.min(mostRowsAtOnce, Math.max(1, Math.floor(bytesAtOnce / length)));
}
