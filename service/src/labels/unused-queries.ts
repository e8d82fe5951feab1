import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';
import { isOneOf } from '../db/filters.ts';

const atOnce = 500;

/** Deletes some sets of labels that no server has, and returns their number. */
export async function deleteUnusedLabelSets(db: Db): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    const isUnused = sql<boolean>`not exists (
      select from servers where servers.label_set_id = label_sets.id)`;
    const rows = await trx
      .selectFrom('label_sets')
      .select('id')
      .where(isUnused)
      .limit(atOnce)
      .forUpdate()
      .skipLocked()
      .execute();
    if (rows.length === 0) return 0;
    // A server may have got one before it was locked.
    const ids = rows.map(({ id }) => id);
    const deleted = await trx
      .deleteFrom('label_sets')
      .where(isOneOf('id', ids))
      .where(isUnused)
      .executeTakeFirst();
    return Number(deleted.numDeletedRows);
  });
}
