import { type Kysely, sql } from 'kysely';

/**
 * How the reconcilers of each service do, for `npm run inspect`. Unlogged: every service replaces its own rows each 10 s, so
 * that a crash of PostgreSQL loses nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table reconciler_statuses (
      service text not null,
      reconciler text not null,
      -- The name of a location; empty: the reconciler is about the installation, or the service.
      location text not null,
      every_seconds double precision,
      running_since timestamptz,
      runs bigint not null,
      ran_at timestamptz,
      key text,
      lag_seconds double precision,
      seconds double precision,
      outcome text check (outcome in ('succeeded', 'failed', 'aborted')),
      found jsonb,
      failures bigint not null,
      failed_at timestamptz,
      error text,
      reported_at timestamptz not null,
      primary key (service, reconciler, location)
    );
  `.execute(db);
}
