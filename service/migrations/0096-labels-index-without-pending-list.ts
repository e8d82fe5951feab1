import { type Kysely, sql } from 'kysely';

/**
 * New entries of a GIN index wait in a pending list until a vacuum, and each search reads the whole list: 3 ms for each
 * label of a selector. Entries are therefore inserted at once (PostgreSQL's documentation, "GIN Fast Update Technique").
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter index servers_by_labels set (fastupdate = off);
    select gin_clean_pending_list('servers_by_labels');
  `.execute(db);
}
