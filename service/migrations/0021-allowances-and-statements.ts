import { type Kysely, sql } from 'kysely';

/**
 * What tells that nothing of a month can change any more; notices of each allowance that a server has in
 * a month, not of the first alone; and what Berth does of itself in the audit log.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When its instances were compared for the first time in a month: the newest one that they were.
    alter table nodes add compared_at timestamptz;

    -- Of which allowance: null where the version before entered it, so that nobody knows.
    alter table traffic_notices add allowance bigint;
    alter table traffic_notices drop constraint traffic_notices_pkey;
    create unique index traffic_notices_once on traffic_notices (server_id, month, percent, allowance)
      nulls not distinct;

    -- The rows that there are hold it: they need not be read for that.
    alter table audit_log drop constraint audit_log_source_check,
      add check (source in ('api', 'command_line', 'berth')) not valid;
  `.execute(db);
}
