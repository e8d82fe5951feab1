import { type Kysely, sql } from 'kysely';

/**
 * Indexes of the history by time first: a round's rows go side by side into its end, not each to a
 * page of its own. Whoever reads knows the times, which are full steps.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- A reading before a stop and a scrape may both be of the same 15 s: two rows, to be summed.
    -- One of the network alone counts as none of the samples.
    alter table usage_15s drop constraint usage_15s_pkey;
    drop index usage_15s_by_time;
    create index usage_15s_by_time on usage_15s (at, server_id);

    alter table usage_5m drop constraint usage_5m_pkey;
    drop index usage_5m_at_idx;
    alter table usage_5m add primary key (at, server_id);

    drop index usage_1h_at_idx;

    -- Each row is written anew each 15 s: with room for that on its page, no index has to follow.
    alter table usage_current set (fillfactor = 45);

    create index usage_runs_before_upgrade on usage_runs (server_id) where run = '';
  `.execute(db);
}
