import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Trx } from '../db/connection.ts';

/** Waits until so many queries of this database wait for a lock. */
export async function untilWaiting(db: Db, count: number): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if ((rows[0]?.count ?? 0) >= count) return;
    await sleep(10);
  }
  throw new Error('Nothing waits for a lock.');
}

/**
 * Begins `second` after the work of `first` and before its commit, and returns the result of `second`, which must wait
 * for `first`.
 */
export async function amid<T>(
  db: Db,
  first: (trx: Trx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const begun = await db.transaction().execute(async (trx) => {
    await first(trx);
    const running = second();
    // It may fail before it waits. The caller handles that.
    running.catch(() => undefined);
    await Promise.race([untilWaiting(db, 1), running]);
    return { running };
  });
  return await begun.running;
}
