import { type Kysely, sql } from 'kysely';

/**
 * Differences between the records and the instances in Incus that somebody has made by hand, one row for each instance. The
 * sweep of a location writes them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table drift (
      id bigint generated always as identity primary key,
      location_id bigint not null references locations,
      kind text not null check (kind in ('changed', 'missing_instance', 'unknown_instance')),
      -- Of a server, the name that it should have.
      instance text not null,
      node_id bigint references nodes on delete set null,
      server_id bigint references servers,
      -- What was seen in the last sweep, since when, and which of it was accepted: see drift/sightings.ts.
      differences jsonb not null,
      -- What a server would have if it were made of an unknown instance.
      facts jsonb,
      -- These follow from the differences.
      since timestamptz not null,
      is_confirmed boolean not null,
      is_forgotten boolean not null,
      unique (location_id, instance),
      check ((server_id is null) = (kind = 'unknown_instance')),
      check ((facts is not null) = (kind = 'unknown_instance'))
    );
    create index drift_of_server on drift (server_id) where server_id is not null;
  `.execute(db);
}
