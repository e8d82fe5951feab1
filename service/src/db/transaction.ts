import type { Db, Trx } from './connection.ts';
import { isUnfitStatement } from './prepared/unfit.ts';

/**
 * Runs `work` in a transaction, and once more in another one if a prepared statement did not fit:
 * another service may just have migrated the tables. What `work` does outside of the database may
 * therefore happen twice.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  const attempt = () => db.transaction().execute(work);
  try {
    return await attempt();
  } catch (error) {
    if (!isUnfitStatement(error)) throw error;
    return await attempt();
  }
}
