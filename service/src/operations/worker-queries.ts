import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';

/** Of creates that failed a day ago. Answers how many there were. */
export async function wipeOldSecrets(db: Db): Promise<number> {
  const result = await db
    .updateTable('operations')
    .set({ secrets: null })
    .where('secrets', 'is not', null)
    .where('finished_at', '<', sql<string>`now() - interval '24 hours'`)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Takes one of a node's places for servers being created, or finds that all are taken.
 * The node's row is locked meanwhile, so that two can't take the last one.
 */
export async function takeCreatePlace(
  trx: Trx,
  operation: { id: number; nodeId: number },
  places: number,
): Promise<boolean> {
  await trx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', operation.nodeId)
    .forUpdate()
    .execute();
  const { taken } = await trx
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .select((eb) => eb.fn.countAll<number>().as('taken'))
    .where('operations.kind', '=', 'create')
    .where('operations.finished_at', 'is', null)
    .where('operations.id', '<>', operation.id)
    .where('servers.node_id', '=', operation.nodeId)
    .where(sql<boolean>`(operations.state ->> 'has_place')::boolean`)
    .executeTakeFirstOrThrow();
  if (taken >= places) return false;
  await trx
    .updateTable('operations')
    .set({ state: sql`state || '{"has_place": true}'` })
    .where('id', '=', operation.id)
    .execute();
  return true;
}

/** The closing words of an operation; undefined while it goes on. */
export async function endingOf(db: Queryable, id: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('operations')
    .select('message')
    .where('id', '=', id)
    .where('finished_at', 'is not', null)
    .executeTakeFirst();
  return row?.message;
}
