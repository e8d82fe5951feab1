import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';
import { tryLockRetention } from './lock-queries.ts';

const atOnce = 2000;

/**
 * Deletes some of the oldest deliveries if they were recorded before a time, whether they have ended or wait for a paused
 * webhook. They are found by their ids, whose order is nearly that of their times. Returns their number; 0 if all are done,
 * or another service is doing this.
 */
export async function deleteOldDeliveries(db: Db, before: Date): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return 0;
    const { numAffectedRows } = await sql`
      with oldest as (
        select id, created_at < ${before} as is_old from webhook_deliveries order by id limit ${sql.lit(atOnce)}
      )
      delete from webhook_deliveries where id in (select id from oldest where is_old)`.execute(trx);
    return Number(numAffectedRows);
  });
}

/**
 * Deletes some deliveries of webhooks that were deleted, and those of these webhooks that have none left. Returns the number
 * of deliveries; 0 if all are done, or another service is doing this.
 */
export async function deleteDeletedWebhooks(db: Db): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return 0;
    const { numAffectedRows } = await sql`
      delete from webhook_deliveries where id in (
        select found.id from webhooks cross join lateral (
          select id from webhook_deliveries where webhook_id = webhooks.id limit ${sql.lit(atOnce)}
        ) as found
        where deleted_at is not null limit ${sql.lit(atOnce)})`.execute(trx);
    if (numAffectedRows === 0n)
      // One that was deleted in the meantime may have very many.
      await sql`
        delete from webhooks where deleted_at is not null
          and not exists (select from webhook_deliveries where webhook_id = webhooks.id)`.execute(
        trx,
      );
    return Number(numAffectedRows);
  });
}
