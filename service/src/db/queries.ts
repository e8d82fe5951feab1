import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** Finds the id of this installation, with which its instances in Incus are labelled. */
export async function installationId(db: Queryable): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return id;
}

/** Records the fingerprint of the secret key, unless one is recorded. Returns the recorded one. */
export async function recordSecretKey(db: Queryable, sha256: Buffer): Promise<Buffer> {
  const { noted } = await db
    .updateTable('installation')
    .set({ secret_key_sha256: sql`coalesce(secret_key_sha256, ${sha256})` })
    .returning('secret_key_sha256 as noted')
    .executeTakeFirstOrThrow();
  return noted ?? sha256;
}

/**
 * Finds the fingerprint of the secret key, the format of encryption and, during a rotation, the previous fingerprint.
 */
export async function findSealing(db: Queryable) {
  return await db
    .selectFrom('installation')
    .select(['secret_key_sha256 as sha256', 'sealing', 'rotated_from_sha256 as rotatedFrom'])
    .executeTakeFirstOrThrow();
}

/** Finds the fingerprints (SHA-256) of lost keys that were replaced. The last one is at the end. */
export async function findReplacedKeys(db: Queryable): Promise<Buffer[]> {
  const { replaced } = await db
    .selectFrom('installation')
    .select('replaced_keys_sha256 as replaced')
    .executeTakeFirstOrThrow();
  return replaced;
}

/**
 * Replaces the recorded key. Values that were encrypted with it are lost. Returns whether the new key is one that was
 * lost before: values that were encrypted with that one can be read again.
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

/** Finds the time of the last export of the database; null if there was none. */
export async function findExportTime(db: Queryable): Promise<string | null> {
  const { rows } = await sql<{ at: string | null }>`
    select exported_at as at from installation`.execute(db);
  return rows[0]?.at ?? null;
}

/** Reads the clock of the database, which all replicas share. */
export async function databaseTime(db: Queryable): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not tell the time.');
  return row.now;
}

/**
 * Whether the database accepts no changes. It may be a standby, to which a service is still connected after a failover,
 * or be set to read-only.
 */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ isReadOnly: boolean }>`
    select current_setting('transaction_read_only')::boolean as "isReadOnly"`.execute(db);
  return rows[0]?.isReadOnly === true;
}
