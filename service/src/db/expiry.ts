import { sql } from 'kysely';

/**
 * The milliseconds until the time in a column, according to the clock of PostgreSQL, which all services share. Null if
 * the column is null.
 */
export function millisecondsUntil(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)} - now()) * 1000)::float8`;
}
