import type { Db, Trx } from './connection.ts';
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

async function twiceIfUnfit<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isUnfitStatement(error)) throw error;
    return await attempt();
  }
}
