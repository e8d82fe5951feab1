import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** The id that labels what this installation made in Incus. */
export async function installationId(db: Queryable): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return id;
}

/** Notes the key that secrets are kept with, unless one is noted. Answers the one that is. */
export async function noteSecretKey(db: Queryable, sha256: Buffer): Promise<Buffer> {
  const { noted } = await db
    .updateTable('installation')
    .set({ secret_key_sha256: sql`coalesce(secret_key_sha256, ${sha256})` })
    .returning('secret_key_sha256 as noted')
    .executeTakeFirstOrThrow();
  return noted ?? sha256;
}

/** Which key secrets are kept with, and how; and the one before, while that is replaced. */
export async function findSealing(db: Queryable) {
  return await db
    .selectFrom('installation')
    .select(['secret_key_sha256 as sha256', 'sealing', 'rotated_from_sha256 as rotatedFrom'])
    .executeTakeFirstOrThrow();
}

/** For when the key before is lost, and with it what was kept under it. */
export async function replaceSecretKey(db: Queryable, sha256: Buffer): Promise<void> {
  await db.updateTable('installation').set({ secret_key_sha256: sha256 }).execute();
}

/** The database's clock, the one clock that all replicas share. */
export async function databaseTime(db: Queryable): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not tell the time.');
  return row.now;
}
