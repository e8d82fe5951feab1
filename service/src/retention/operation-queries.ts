import { sql } from 'kysely';
import type { Db, Queryable } from '../db/connection.ts';
import { isOneOf } from '../db/filters.ts';
import { hasOutput, withoutOutput } from '../operations/output-queries.ts';
import { tryLockRetention } from './lock-queries.ts';

const atOnce = 500;

interface Ended {
  id: number;
  isOld: boolean;
}

/**
 * Operations in the order of their ids, which is nearly that of their ends, so that the oldest are found without a
 * separate index and without reading all others.
 */
async function operationsAfter(db: Queryable, id: number, before: Date): Promise<Ended[]> {
  return await db
    .selectFrom('operations')
    .select('id')
    .select(sql<boolean>`coalesce(finished_at < ${before}, false)`.as('isOld'))
    .where('id', '>', id)
    .orderBy('id')
    .limit(atOnce)
    .execute();
}

/**
 * Removes the output of initial commands of some operations that ended before a time, and keeps their exit statuses.
 * Returns their number; 0 if all are done, or another service is doing this. An operation that has not ended does not
 * delay others.
 */
export async function expireOutputs(db: Db, before: Date): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return 0;
    const result = await trx
      .updateTable('operations')
      .set({ commands: withoutOutput() })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('operations')
          .select('id')
          .where(hasOutput)
          .where('finished_at', '<', sql<string>`${before}`)
          .orderBy('finished_at')
          .limit(atOnce),
      )
      .executeTakeFirst();
    return Number(result.numUpdatedRows);
  });
}

/**
 * Deletes operations that ended before a time, except those that are still needed: they have
 * secrets for a retry, a worker with a lease, or parts that are not deleted. The rest is deleted in
 * the next round.
 */
export async function deleteOldOperations(
  db: Db,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  let last = 0;
  while (!signal?.aborted) {
    const found = await operationsAfter(db, last, before);
    const ids = found.filter(({ isOld }) => isOld).map(({ id }) => id);
    if (ids.length === 0) break;
    const part = await deleteOperations(db, ids);
    if (part === undefined) break;
    deleted += part;
    last = found.at(-1)?.id ?? last;
  }
  return deleted;
}

/** Returns undefined while another service does this. */
async function deleteOperations(db: Db, ids: number[]): Promise<number | undefined> {
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return undefined;
    const result = await trx
      .deleteFrom('operations')
      .where(isOneOf('id', ids))
      .where('finished_at', 'is not', null)
      .where('secrets', 'is', null)
      .where('lease_holder', 'is', null)
      .where(
        sql<boolean>`not exists (
          select from operations part where part.parent_id = operations.id)`,
      )
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  });
}
