import { type SqlBool, sql } from 'kysely';
import { plannedByValues } from './statement-names.ts';

// A list may be asked for what half of all rows have, or none of them: PostgreSQL is to know the values when it plans how
// to find the first twenty. What its statistics tell of them is kept by migration 0046.
const mark = sql.raw(plannedByValues);

type Values = readonly (string | number)[];

/** Rows that have, in each of these columns, one of the values that are wanted there. */
export function hasAnyOf(columns: Record<string, Values | undefined>) {
  const wanted = Object.entries(columns).flatMap(([column, values]) =>
    values === undefined ? [] : [isAnyOf(column, values)],
  );
  if (wanted.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`${mark} (${sql.join(wanted, sql` and `)})`;
}

/** One value is compared as such: an index then still has the rows in its order. */
function isAnyOf(column: string, values: Values) {
  const [first, ...others] = values;
  if (others.length === 0) return sql`${sql.ref(column)} = ${first}`;
  return sql`${sql.ref(column)} in (${sql.join(values)})`;
}

/** Rows whose column is within a period; its end is not in it. */
export function isWithin(
  column: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
) {
  if (from === undefined && to === undefined) return sql<SqlBool>`true`;
  const since = from === undefined ? sql`true` : sql`${sql.ref(column)} >= ${from}::timestamptz`;
  const until = to === undefined ? sql`true` : sql`${sql.ref(column)} < ${to}::timestamptz`;
  return sql<SqlBool>`${mark} (${since} and ${until})`;
}

/**
 * A column as names are compared: A to Z in lower case, all else as it is. Indexes are on just this
 * expression.
 */
export const nameKey = (column: string) => sql`lower(${sql.ref(column)} collate "C")`;

const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Rows with such a name, or with one of several. */
export function isNamed(column: string, ...names: string[]) {
  const keys = names.map(lowerCase);
  const [key] = keys;
  if (keys.length === 1) return sql<SqlBool>`${nameKey(column)} = ${key}`;
  return sql<SqlBool>`${nameKey(column)} = any(${keys}::text[])`;
}

/** Rows with a name that begins so in one of the columns. */
export function beginsWith(columns: readonly string[], prefix: string | undefined) {
  if (prefix === undefined) return sql<SqlBool>`true`;
  const some = columns.map((column) => sql`${nameKey(column)} ^@ ${lowerCase(prefix)}`);
  return sql<SqlBool>`${mark} (${sql.join(some, sql` or `)})`;
}
