import { type Kysely, sql } from 'kysely';

/** When the database was last exported, so that metrics tell how old the last backup is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table installation add exported_at timestamptz`.execute(db);
}
