import { type Kysely, sql } from 'kysely';

/** Since when a server's `real_status` is what it is, so that an older reading can't undo it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table servers add real_status_at timestamptz not null default now()
  `.execute(db);
}
