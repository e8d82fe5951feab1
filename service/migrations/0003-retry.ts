import { type Kysely, sql } from 'kysely';

/** A create that failed keeps its secrets for a while, so that it can be tried again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations
      drop constraint operations_check1,
      add constraint secrets_only_while_needed check (
        finished_at is null or secrets is null or (kind = 'create' and status = 'failed'));
    create index operations_with_secrets on operations (server_id) where secrets is not null;
  `.execute(db);
}
