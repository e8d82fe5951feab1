import { type Kysely, sql } from 'kysely';

/** Public keys of projects, and how root can log in to each server. Servers that are there let it in by password. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ssh_keys (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects (id),
      name text not null,
      public_key text not null,
      fingerprint text not null,
      created_at timestamptz not null default now()
    );
    create unique index one_ssh_key_of_a_name on ssh_keys (project_id, lower(name collate "C"));
    create unique index one_ssh_key_of_a_fingerprint on ssh_keys (project_id, fingerprint);
    create index ssh_keys_of_project on ssh_keys (project_id, id);
    create statistics ssh_keys_by_names on (lower(name collate "C")) from ssh_keys;

    alter table servers
      -- The name and the fingerprint of each, as they were when it was created or last rebuilt.
      add ssh_keys jsonb not null default '[]',
      add password_login boolean not null default true;
  `.execute(db);
}
