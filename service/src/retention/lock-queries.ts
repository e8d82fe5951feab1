import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';

/** Locks the retention for one part of the work; false while another service has the lock. */
export async function tryLockRetention(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('berth retention', 0)) as held`.execute(trx);
  return rows[0]?.held === true;
}
