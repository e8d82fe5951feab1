import { type Kysely, sql } from 'kysely';

/** Which subnets the network of a location has itself, so that no pool is made whose addresses it refuses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null until somebody has looked, and for a bridge of the hosts, which Incus knows no subnets of.
  await sql`alter table locations add network_subnets cidr[]`.execute(db);
}
