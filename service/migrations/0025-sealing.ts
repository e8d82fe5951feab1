import { type Kysely, sql } from 'kysely';

/**
 * How what is encrypted is sealed. An installation that has secrets goes on as before, since the release
 * before could not read what is bound to its row: `npm run db -- rotate-key` changes that. A new one has
 * them bound from the start. See docs/decisions/0013-keys.md.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installation
      add sealing text not null default 'unbound' check (sealing in ('unbound', 'mixed', 'bound')),
      -- While a rotation goes on: the key before. secret_key_sha256 is the new one by then.
      add rotated_from_sha256 bytea;
    update installation set sealing = 'bound' where secret_key_sha256 is null;
  `.execute(db);
}
