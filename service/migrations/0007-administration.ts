import { type Kysely, sql } from 'kysely';

/**
 * What an administrator sets stays: pools that are not the network's own, and the bounds of a location
 * that would else follow the machine.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table address_pools add is_of_network boolean not null default true;
    alter table locations add is_administered boolean not null default false;

    -- Operating systems that are to be ready at a location before a server needs them.
    create table images (
      os_id bigint not null references operating_systems,
      location_id bigint not null references locations,
      status text not null check (status in ('wanted', 'importing', 'ready', 'failed')),
      progress integer not null default 0 check (progress between 0 and 100),
      message text not null,
      requested_at timestamptz not null default now(),
      primary key (os_id, location_id)
    );
  `.execute(db);
}
