import { sql } from 'kysely';
import type { Db, Trx } from '../db/connection.ts';

/**
 * How many rows of `table` PostgreSQL read for `work`, by any plan. PostgreSQL counts per
 * connection, and publishes about once a second, so the reads before `work` are subtracted.
 */
export async function rowsRead(
  db: Db,
  table: string,
  work: (trx: Trx) => Promise<unknown>,
): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    const before = await readSoFar(trx, table);
    await work(trx);
    return (await readSoFar(trx, table)) - before;
  });
}

async function readSoFar(trx: Trx, table: string): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = ${table}`.execute(trx);
  return rows[0]?.read ?? 0;
}
