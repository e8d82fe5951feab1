import { sql } from 'kysely';

/**
 * Milliseconds until a time, by PostgreSQL's clock, which all services share; null if the column is
 * null.
 */
export function millisecondsUntil(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)} - now()) * 1000)::float8`;
}
