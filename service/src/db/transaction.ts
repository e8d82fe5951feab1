import { sql } from 'kysely';
import type { Db, Queryable, Trx } from './connection.ts';
import { isUnfitStatement } from './prepared/unfit.ts';

/**
 * Runs `work` in a transaction, and once more in another one if a prepared statement did not fit, because another
 * service has just migrated the tables. The effects of `work` outside of the database may therefore happen twice.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return await twiceIfUnfit(() => db.transaction().execute(work));
}

/** Runs `work` like `inTransaction`, but rolls it back, for a dry run. */
export async function rolledBack<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return await twiceIfUnfit(async () => {
    const trx = await db.startTransaction().execute();
    try {
      return await work(trx);
    } finally {
      await trx.rollback().execute();
    }
  });
}

/**
 * Runs `work` as a part of a transaction. If it throws, only its own changes and notifications are undone, and the
 * transaction can continue.
 */
export async function inSavepoint<T>(trx: Trx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(trx);
    throw error;
  }
}

/** Runs reads that see the database as of one time, unless they are in a transaction already. */
export async function inSnapshot<T>(
  db: Queryable,
  read: (db: Queryable) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return await read(db);
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return await twiceIfUnfit(() => snapshot.execute(read));
}

async function twiceIfUnfit<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isUnfitStatement(error)) throw error;
    return await attempt();
  }
}
