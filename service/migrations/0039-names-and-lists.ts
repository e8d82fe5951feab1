import { type Kysely, sql } from 'kysely';

/**
 * Names where ids are taken, and lists by name, time and prefix: each has an index, so that no request
 * costs more the more servers there are. New projects want each of their servers to have a name of its
 * own; those that are there go on as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table projects add unique_names boolean not null default false;

    -- As db/filters.ts compares names.
    drop index servers_by_hostname;
    create index servers_named on servers (project_id, lower(hostname collate "C"), id)
      where deleted_at is null;
    create index servers_named_anywhere on servers (lower(hostname collate "C"), id)
      where deleted_at is null;
    -- For each order of a list, in a project and in all of them.
    create index servers_in_order_of_name on servers (project_id, hostname, id)
      where deleted_at is null;
    create index servers_in_order_of_time on servers (project_id, created_at, id)
      where deleted_at is null;
    create index servers_by_hostname on servers (hostname, id) where deleted_at is null;
    create index servers_by_time on servers (created_at, id) where deleted_at is null;
    create index operations_in_order_of_time on operations (project_id, created_at, id);

    drop index one_project_of_a_name;
    create unique index one_project_of_a_name on projects (lower(name collate "C"))
      where deleted_at is null;

    -- A request may name its project, which is then known for a while.
    drop trigger credentials_changed on projects;
    create trigger credentials_changed after update on projects for each row
      when ((old.deleted_at, old.name) is distinct from (new.deleted_at, new.name))
      execute function tell_of_credentials();
  `.execute(db);
}
