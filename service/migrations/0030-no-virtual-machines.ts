import { type Kysely, sql } from 'kysely';

/** None can be created yet: one that was entered is not offered until they can. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update operating_systems set enabled = false where type = 'virtual-machine'`.execute(
    db,
  );
}
