import { type Kysely, sql } from 'kysely';

/** Since when a node answers, or does not; and that an administrator has given it up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table nodes
      add status_since timestamptz not null default now(),
      -- Declared lost: it is never chosen, and its servers are given up. Until it joins its cluster anew.
      add lost boolean not null default false;
  `.execute(db);
}
