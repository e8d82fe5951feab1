import { type Kysely, sql } from 'kysely';

/** The code with which the first administrator is made in the browser. Both are null once there is a user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installation
      add column setup_code_sha256 bytea,
      add column setup_code_expires_at timestamptz,
      add check ((setup_code_sha256 is null) = (setup_code_expires_at is null));
  `.execute(db);
}
