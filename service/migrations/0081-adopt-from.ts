import { type Kysely, sql } from 'kysely';

/**
 * Instances of other Incus projects, which administrators can adopt. They are recorded in the table of drift, and are no
 * drift themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table locations add column adopt_from text[] not null default '{}';

    alter table drift
      -- Null for the project of the location.
      add column incus_project text,
      drop constraint drift_location_id_instance_key,
      drop constraint drift_kind_check,
      drop constraint drift_check,
      drop constraint drift_check1,
      add constraint drift_kind_check
        check (kind in ('changed', 'missing_instance', 'unknown_instance', 'foreign_instance')),
      add constraint drift_server_check
        check ((server_id is null) = (kind in ('unknown_instance', 'foreign_instance'))),
      add constraint drift_facts_check
        check ((facts is not null) = (kind in ('unknown_instance', 'foreign_instance'))),
      add constraint drift_incus_project_check
        check ((incus_project is not null) = (kind = 'foreign_instance'));
    create unique index one_drift_of_an_instance
      on drift (location_id, coalesce(incus_project, ''), instance);
  `.execute(db);
}
