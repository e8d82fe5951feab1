import { type Kysely, sql } from 'kysely';

/** What tells that nothing of a month can change any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When its instances were compared for the first time in a month: the newest one that they were.
    alter table nodes add compared_at timestamptz;
  `.execute(db);
}
