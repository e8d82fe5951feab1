import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';
import { tryLockRetention } from './lock-queries.ts';

const atOnce = 2000;

/**
 * Deletes some of the oldest events if they were written before a time, and notes up to which they are gone. Their order
 * is nearly that of their times, so that no index on these is needed. One that seems newer, such as of a clock that was ahead,
 * is deleted with older ones after it.
 * Returns their number; 0 if all are done, or another service is doing this.
 */
export async function deleteOldEvents(db: Db, before: Date): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return 0;
    const { rows } = await sql<{ count: number }>`
      with oldest as (
        select id, at < ${before} as is_old from events order by id limit ${sql.lit(atOnce)}
      ),
      old as (
        select id from oldest where id <= (select max(id) from oldest where is_old)
      ),
      deleted as (delete from events where id in (select id from old) returning id),
      noted as (
        update settings set events_gone_until = (select max(id) from deleted)
        where exists (select from deleted)
      )
      select count(*) as count from deleted`.execute(trx);
    return rows[0]?.count ?? 0;
  });
}
