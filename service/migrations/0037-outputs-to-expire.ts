import { type Kysely, sql } from 'kysely';

/**
 * The operations whose outputs are to be removed one day, by their end. Without it they were found by a
 * mark up to which all had been removed, which one operation that does not end held back. The mark stays
 * for the release before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index operations_with_output on operations (finished_at)
      where finished_at is not null and commands <> '[]'
        and not commands @> '[{"output_expired": true}]'`.execute(db);
}
