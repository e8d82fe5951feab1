import { type Kysely, sql } from 'kysely';

/**
 * Instances that the records do not know, as after a restore of the database, and the addresses that they
 * hold; and which secret keys another one took the place of, so that one that comes back is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table unknown_instances (
      id bigint generated always as identity primary key,
      location_id bigint not null references locations,
      name text not null,
      -- It bears the label of this installation.
      is_ours boolean not null,
      seen_at timestamptz not null default now(),
      unique (location_id, name)
    );
    create table reserved_addresses (
      ip inet primary key,
      pool_id bigint not null references address_pools on delete cascade,
      instance_id bigint not null references unknown_instances on delete cascade
    );
    create index reserved_addresses_of_pool on reserved_addresses (pool_id, ip);
    create index reserved_addresses_of_instance on reserved_addresses (instance_id);

    -- False from an import on, until its instances were compared with the records.
    alter table locations add instances_known boolean not null default true;

    alter table installation add replaced_keys_sha256 bytea[] not null default '{}';
  `.execute(db);
}
