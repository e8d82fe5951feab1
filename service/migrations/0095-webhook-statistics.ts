import { type Kysely, sql } from 'kysely';

/**
 * How many names of webhooks begin with a text, and how many deliveries of each webhook have which status. Without
 * these, PostgreSQL reads a whole table for a filter that selects few of its rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create statistics webhooks_by_names on (lower(name collate "C")) from webhooks;
    create statistics webhook_deliveries_by_statuses (mcv) on webhook_id, status from webhook_deliveries;
    analyze webhooks, webhook_deliveries;
  `.execute(db);
}
