import { type Kysely, sql } from 'kysely';

/** What a round of readings writes goes side by side, not each server's to a page of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- By time first: a round's entries are next to each other, at the end. Whoever reads a server's
    -- rows knows their times, which are full steps. Not unique: a reading before a stop and a scrape
    -- may both be of the same 15 s, to be summed; one of the network alone counts as no sample.
    alter table usage_15s drop constraint usage_15s_pkey;
    drop index usage_15s_by_time;
    create index usage_15s_by_time on usage_15s (at, server_id);

    -- Each row is written anew each 15 s: with room for that on its page, no index has to follow.
    alter table usage_current set (fillfactor = 45);

    create index usage_runs_before_upgrade on usage_runs (server_id) where run = '';
  `.execute(db);
}
