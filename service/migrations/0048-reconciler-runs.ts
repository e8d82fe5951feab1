import { type Kysely, sql } from 'kysely';

/**
 * How the last runs of each service's reconcilers went, for `npm run inspect`. Every service writes its own rows anew each few
 * seconds, so that nothing is lost with them, and none of it need be logged.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table reconciler_runs (
      service text not null,
      reconciler text not null,
      -- The name of a location; empty: what the reconciler is about is the installation, or the service.
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
      told_at timestamptz not null,
      primary key (service, reconciler, location)
    );
  `.execute(db);
}
