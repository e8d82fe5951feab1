import { type Kysely, sql } from 'kysely';

/**
 * The servers of a project without labels are found like those of a set, by the number 0 in the place of a null. By
 * `label_set_id is null or label_set_id = any (…)`, PostgreSQL expects the unlabelled servers of all projects, and then
 * reads the whole index instead of the few servers that are selected.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index servers_of_label_set;
    create index servers_of_label_set on servers (coalesce(label_set_id, 0), project_id, id)
      where deleted_at is null;
    drop statistics servers_by_label_set_id;
    create statistics servers_by_label_set (mcv) on project_id, (coalesce(label_set_id, 0)) from servers;
    analyze servers;
  `.execute(db);
}
