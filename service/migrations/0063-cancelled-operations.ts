import { type Kysely, sql } from 'kysely';

/**
 * Operations that were cancelled. The retry of a create then keeps its secrets, as if it had failed. Existing rows meet
 * the stricter constraints of before, so that they need not be read while the table is locked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations
      drop constraint operations_status_check,
      add constraint operations_status_check check (
        status in ('pending', 'running', 'succeeded', 'failed', 'superseded', 'cancelled')) not valid,
      drop constraint secrets_only_while_needed,
      add constraint secrets_only_while_needed check (
        finished_at is null or secrets is null
          or (kind = 'create' and status in ('failed', 'cancelled'))) not valid;
  `.execute(db);
}
