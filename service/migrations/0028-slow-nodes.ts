import { type Kysely, sql } from 'kysely';

/** Since when a node answers late, which is no reason to count it as away. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table nodes add slow_since timestamptz`.execute(db);
}
