import type { Db, Trx } from './connection.ts';

/** Runs `work` in a transaction that changes nothing: to see what it would come to. */
export async function rolledBack<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  const trx = await db.startTransaction().execute();
  try {
    return await work(trx);
  } finally {
    await trx.rollback().execute();
  }
}
