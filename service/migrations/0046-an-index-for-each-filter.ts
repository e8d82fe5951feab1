import { type Kysely, sql } from 'kysely';

/**
 * For each filter that a list offers an index that has its rows in the list's order: of one project, and, as the
 * project comes second, of all of them. PostgreSQL uses it where it knows that the project has few such rows, however
 * many others have: hence the statistics. Otherwise one who asks for what is rare has all rows read to find it
 * (db/filters.long.test.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index audit_entries_of_action on audit_entries (action, project_id, id);
    create index audit_entries_of_status on audit_entries (status, project_id, id);
    create index audit_entries_of_target_kind on audit_entries (target_kind, project_id, id);
    create index audit_entries_of_target on audit_entries (target_id, project_id, id);
    create index audit_entries_of_token on audit_entries (token_id, project_id, id);
    create index audit_entries_of_address on audit_entries (address, project_id, id);
    create index audit_entries_of_project_by_time on audit_entries (project_id, at, id);
    create index audit_entries_by_time on audit_entries (at);
    drop index audit_entries_of_user;
    create index audit_entries_of_user on audit_entries (user_id, project_id, id)
      where user_id is not null;

    create index servers_of_status on servers (status, project_id, id) where deleted_at is null;
    create index servers_of_os on servers (os_id, project_id, id) where deleted_at is null;
    create index servers_of_group_anywhere on servers (group_name, project_id, id)
      where deleted_at is null and group_name is not null;
    drop index servers_of_location;
    create index servers_of_location on servers (location_id, project_id, id)
      where deleted_at is null;
    drop index servers_of_node;
    create index servers_of_node on servers (node_id, project_id, id) where deleted_at is null;

    create index operations_of_status on operations (status, project_id, id);
    create index operations_of_kind on operations (kind, project_id, id);
    create index operations_by_time on operations (created_at, id);

    create index tokens_that_hold on tokens (project_id, id) where revoked_at is null;
    create index tokens_named on tokens (project_id, lower(name collate "C"), id)
      where revoked_at is null;
    create index users_named on users (lower(name collate "C")) where deleted_at is null;
    create index projects_ever_named on projects (lower(name collate "C"));

    -- How many names begin so.
    create statistics servers_by_names on (lower(hostname collate "C")) from servers;
    create statistics tokens_by_names on (lower(name collate "C")) from tokens;
    create statistics users_by_names on (lower(name collate "C")) from users;
    create statistics users_by_emails on (lower(email collate "C")) from users;
    create statistics projects_by_names on (lower(name collate "C")) from projects;
    analyze tokens, users, projects;
  `.execute(db);
  for (const [table, columns] of Object.entries(filters)) {
    const names = table === 'audit_entries' ? [table, ...(await partitionsOf(db, table))] : [table];
    for (const name of names) {
      for (const column of columns) await countTogether(db, name, column);
    }
    // With its partitions.
    await sql`analyze ${sql.table(table)}`.execute(db);
  }
}

const filters = {
  servers: ['status', 'location_id', 'os_id', 'node_id', 'group_name'],
  operations: ['status', 'kind'],
  audit_entries: ['action', 'status', 'target_kind', 'target_id', 'token_id', 'user_id', 'address'],
};

/** A partition that is made later gets those of its table; those that are there do not. */
async function partitionsOf(db: Kysely<unknown>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${table}::regclass`.execute(db);
  return rows.map(({ name }) => name);
}

/** How often projects have which value: what most have, this one may not have at all. */
async function countTogether(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  const name = sql.id(`${table}_by_${column}`);
  await sql`create statistics ${name} (mcv) on project_id, ${sql.id(column)}
    from ${sql.table(table)}`.execute(db);
}
