import type { Db, Trx } from './connection.ts';

/** Runs `work` in a transaction that is rolled back, for a dry run. */
export async function rolledBack<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  const trx = await db.startTransaction().execute();
  try {
    return await work(trx);
  } finally {
    await trx.rollback().execute();
  }
}
