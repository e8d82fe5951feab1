import { type Kysely, sql } from 'kysely';

/**
 * What the engine confirmed of a throttle, beside what is wanted (`servers.traffic_throttle`), and which
 * limits the kernels of nodes can enforce. Nothing is confirmed until the next comparison.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table servers
      -- Mbit/s in each direction that the engine confirmed; null where there is no throttle, or not all of it.
      add throttled_to integer,
      -- Why the throttle that is wanted is not applied.
      add throttle_error text;

    alter table nodes
      add kernel_version text,
      -- Whether its kernel can limit what comes to servers, and what they send; null until it was tried.
      add limits_incoming boolean,
      add limits_outgoing boolean,
      -- The kernel that it was tried with, and when.
      add limits_kernel text,
      add limits_tried_at timestamptz;
  `.execute(db);
}
