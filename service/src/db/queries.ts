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

/**
 * Notes a key in place of the one that is noted, since that one is lost, and with it what was kept under it.
 * Answers whether it is one that was lost before: it is back then, and what was kept under it can be read.
 */
export async function replaceSecretKey(db: Queryable, sha256: Buffer): Promise<boolean> {
  const { rows } = await sql<{ isBack: boolean }>`
    update installation set secret_key_sha256 = ${sha256},
      replaced_keys_sha256 = array_append(array_remove(before.replaced, ${sha256}), before.noted)
    from (
      select secret_key_sha256 as noted, replaced_keys_sha256 as replaced from installation for update
    ) before
    returning ${sha256} = any(before.replaced) as "isBack"`.execute(db);
  return rows[0]?.isBack ?? false;
}

/** The database's clock, the one clock that all replicas share. */
export async function databaseTime(db: Queryable): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not tell the time.');
  return row.now;
}

/**
 * Resolves where the database takes changes. Throws where it is a standby, as the one that a service
 * still reaches after a failover may be, or is set to be read-only.
 */
export async function requireWritable(db: Queryable): Promise<void> {
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only')::boolean as "isReadOnly"`.execute(db);
  if (rows[0]?.isReadOnly) throw new Error('The database is read-only.');
}
