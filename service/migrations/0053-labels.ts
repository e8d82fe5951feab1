import { type Kysely, sql } from 'kysely';

/**
 * Labels, notes and protection of servers. An index finds servers with a label, and none without one, or whose labels
 * together are rare. So the servers of a project that have about the same labels share a row of `label_sets`, of which a
 * project has a thousand at most: a selector is applied to these, and the index of their servers finds the rest.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table label_sets (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects (id),
      -- The labels of its servers. A null value, or null for all, stands for any.
      summary jsonb
    );
    -- By a hash, since labels can be longer than an index allows.
    create unique index one_label_set_of_a_summary on label_sets
      (project_id, sha256(coalesce(summary, 'null')::text::bytea));

    alter table servers
      add labels jsonb not null default '{}',
      -- Null without labels, and once it is deleted.
      add label_set_id bigint references label_sets (id),
      add notes text not null default '',
      add protects_delete boolean not null default false,
      add protects_rebuild boolean not null default false;
    create index servers_of_label_set on servers (label_set_id, project_id, id)
      where deleted_at is null;
    -- For the foreign key.
    create index servers_with_label_set on servers (label_set_id) where label_set_id is not null;
    -- For labels of which each server has another value, and for administrators.
    create index servers_by_labels on servers using gin (labels) where deleted_at is null and labels <> '{}';
    create statistics servers_by_label_set_id (mcv) on project_id, label_set_id from servers;
    analyze label_sets, servers;
  `.execute(db);
}
