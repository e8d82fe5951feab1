import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { type WaitedOperation, waitedColumns } from './queries.ts';

/** Wipes the secrets of creates that failed more than a day ago. Returns how many there were. */
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
 * Claims the unpacking of an image on a node, or finds that another create has claimed it. Locks
 * the row of the node, so that only one can.
 */
export async function claimUnpacking(
  trx: Trx,
  operation: { id: number; nodeId: number; fingerprint: string },
): Promise<boolean> {
  await lockNode(trx, operation.nodeId);
  const other = await concurrentCreates(trx, operation)
    .select('operations.id')
    .where(sql<boolean>`operations.state ->> 'unpacks' = ${operation.fingerprint}`)
    .executeTakeFirst();
  if (other) return false;
  await addToState(trx, operation.id, { unpacks: operation.fingerprint });
  return true;
}

async function lockNode(trx: Trx, id: number): Promise<void> {
  await trx.selectFrom('nodes').select('id').where('id', '=', id).forUpdate().execute();
}

/** The creates in progress on the same node. */
function concurrentCreates(trx: Trx, operation: { id: number; nodeId: number }) {
  return trx
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .where('operations.kind', '=', 'create')
    .where('operations.finished_at', 'is', null)
    .where('operations.id', '<>', operation.id)
    .where('servers.node_id', '=', operation.nodeId);
}

async function addToState(trx: Trx, id: number, patch: object): Promise<void> {
  await trx
    .updateTable('operations')
    .set({ state: sql`state || ${JSON.stringify(patch)}::jsonb` })
    .where('id', '=', id)
    .execute();
}

/** An operation of any project; undefined once its records were removed. */
export async function waitedOperation(
  db: Queryable,
  id: number,
): Promise<WaitedOperation | undefined> {
  return await db
    .selectFrom('operations')
    .select(waitedColumns)
    .where('id', '=', id)
    .executeTakeFirst();
}
