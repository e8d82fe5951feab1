import { type Kysely, sql } from 'kysely';

/**
 * What an administrator sets stays: pools that are not the network's own, and the bounds of a location
 * that would else follow the machine.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table address_pools add is_of_network boolean not null default true;
    alter table locations add is_administered boolean not null default false;
  `.execute(db);
}
