import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';

const lasts = sql<string>`now() + interval '24 hours'`;

/**
 * Locked until the transaction ends: one start of a service, or one request, follows the other. What it depends on must be
 * read afterwards.
 */
export async function lockSetup(trx: Trx): Promise<void> {
  await trx.selectFrom('installation').select('id').forUpdate().executeTakeFirstOrThrow();
}

/** Whether there has ever been a user: a deleted administrator does not open the setup again. */
export async function hasHadUsers(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The hash of the code. Undefined if it has expired or was used, or there is a user. */
export async function findCodeHash(db: Queryable): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('installation')
    .select('setup_code_sha256 as hash')
    .where('setup_code_expires_at', '>', sql<string>`now()`)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('users').select('id'))))
    .executeTakeFirst();
  return row?.hash ?? undefined;
}

export async function storeCodeHash(trx: Trx, hash: Buffer): Promise<void> {
  await trx
    .updateTable('installation')
    .set({ setup_code_sha256: hash, setup_code_expires_at: lasts })
    .execute();
}

export async function removeCodeHash(trx: Trx): Promise<void> {
  await trx
    .updateTable('installation')
    .set({ setup_code_sha256: null, setup_code_expires_at: null })
    .where('setup_code_sha256', 'is not', null)
    .execute();
}
