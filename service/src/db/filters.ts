import { type SqlBool, sql } from 'kysely';
import { arrayOf } from './arrays.ts';
import { plannedByValues, textVaries } from './prepared/statement-names.ts';

/**
 * Marks statements with filters. A filter may match half of all rows, or none. PostgreSQL therefore needs the values to
 * plan how it finds the first 20 rows. Migration 0046 maintains the statistics for this.
 */
export const planned = sql.raw(plannedByValues);

/** Marks statements with a varying number of rows, or with names of partitions. */
export const varies = sql.raw(textVaries);

type Values = readonly (string | number)[];

/** Matches rows that have one of the given values in each of these columns. */
export function hasAnyOf(columns: Record<string, Values | undefined>) {
  const wanted = Object.entries(columns).flatMap(([column, values]) =>
    values === undefined ? [] : [isAnyOf(column, values)],
  );
  if (wanted.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`${planned} (${sql.join(wanted, sql` and `)})`;
}

/** Compares a single value directly, so that an index can also provide the order. */
function isAnyOf(column: string, values: Values) {
  const [first, ...others] = values;
  if (others.length === 0) return sql`${sql.ref(column)} = ${first}`;
  return sql`${sql.ref(column)} in (${sql.join(values)})`;
}

/** Matches rows with one of these ids. The text of the statement does not depend on the number of ids. */
export const isOneOf = (column: string, ids: readonly number[]) =>
  sql<SqlBool>`${sql.ref(column)} = any(${arrayOf(ids)}::bigint[])`;

/** Matches rows whose column is within a period, excluding its end. */
export function isWithin(
  column: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
) {
  if (from === undefined && to === undefined) return sql<SqlBool>`true`;
  const since = from === undefined ? sql`true` : sql`${sql.ref(column)} >= ${from}::timestamptz`;
  const until = to === undefined ? sql`true` : sql`${sql.ref(column)} < ${to}::timestamptz`;
  return sql<SqlBool>`${planned} (${since} and ${until})`;
}

/**
 * A column in the form in which names are compared: A to Z in lower case, and other characters unchanged. Indexes use
 * exactly this expression.
 */
export const nameKey = (column: string) => sql`lower(${sql.ref(column)} collate "C")`;

const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Matches rows with one of these names. */
export function isNamed(column: string, ...names: string[]) {
  const keys = names.map(lowerCase);
  const [key] = keys;
  if (keys.length === 1) return sql<SqlBool>`${nameKey(column)} = ${key}`;
  return sql<SqlBool>`${nameKey(column)} = any(${keys}::text[])`;
}

/** Matches rows in which the name in one of the columns begins with a prefix. */
export function beginsWith(columns: readonly string[], prefix: string | undefined) {
  if (prefix === undefined) return sql<SqlBool>`true`;
  const some = columns.map((column) => sql`${nameKey(column)} ^@ ${lowerCase(prefix)}`);
  return sql<SqlBool>`${planned} (${sql.join(some, sql` or `)})`;
}
