import { type Kysely, sql } from 'kysely';

/**
 * What each node told last, in one row: who counts compares the next scrape with it. The figures of now,
 * a row for each server, need not be written each time then.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_scrapes (
      node_id bigint primary key references nodes,
      -- Of usage_readings: a scrape that began before this came too late.
      recorded bigint not null,
      read_at timestamptz not null,
      -- Of each server that it told of, in one order.
      server_ids bigint[] not null,
      cpu_seconds double precision[] not null,
      disk_read bigint[] not null,
      disk_write bigint[] not null
    );
    -- Written anew each 15 s: to compress it would cost more than it saves.
    alter table usage_scrapes
      alter server_ids set storage external,
      alter cpu_seconds set storage external,
      alter disk_read set storage external,
      alter disk_write set storage external;
  `.execute(db);
}
