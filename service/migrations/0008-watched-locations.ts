import { type Kysely, sql } from 'kysely';

/** When a location's watcher last had something to say: one that hangs says nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table locations add watched_at timestamptz not null default now()`.execute(db);
}
