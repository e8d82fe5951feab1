import { type Kysely, sql } from 'kysely';

/** Pools that an administrator adds stay, whatever subnets the network has by itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table address_pools add is_of_network boolean not null default true`.execute(db);
}
