import { type Kysely, sql } from 'kysely';

/** Which operating systems servers of a location can be created with; null: all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table locations add os_ids integer[] check (cardinality(os_ids) > 0)`.execute(db);
}
