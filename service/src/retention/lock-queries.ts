import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';

/** One service at a time, for each bit of the work; false while another one is at it. */
export async function tryLockRetention(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('berth retention', 0)) as held`.execute(trx);
  return rows[0]?.held === true;
}
