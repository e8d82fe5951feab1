import { type Kysely, sql } from 'kysely';

/** Since when an operation is at its step; and pools that no address is taken from any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations add step_since timestamptz not null default now();
    alter table address_pools add enabled boolean not null default true;
  `.execute(db);
}
