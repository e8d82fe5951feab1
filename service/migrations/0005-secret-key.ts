import { type Kysely, sql } from 'kysely';

/** Which secret key the installation's secrets are kept with, so that no service uses another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table installation add secret_key_sha256 bytea`.execute(db);
}
