import { sql } from 'kysely';

/** By PostgreSQL's clock, which all services share; null where the column is. */
export function millisecondsUntil(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(column)} - now()) * 1000)::float8`;
}
