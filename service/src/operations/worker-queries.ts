import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import type { UserDataReport } from '../db/schema/schema.ts';
import type { Lease } from './lease-queries.ts';
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

/** Wipes the secrets of a create that has failed, and is not to be retried. */
export async function wipeSecretsOf(trx: Trx, id: number): Promise<void> {
  await trx.updateTable('operations').set({ secrets: null }).where('id', '=', id).execute();
}

/** Records what is known of the user data of a create that has ended. */
export async function setUserDataReport(
  trx: Trx,
  id: number,
  report: UserDataReport,
): Promise<void> {
  const told = JSON.stringify({ user_data: report });
  await trx
    .updateTable('operations')
    .set({ state: sql`state || ${told}::jsonb` })
    .where('id', '=', id)
    .execute();
}

interface Unpacking {
  nodeId: number;
  fingerprint: string;
}

/**
 * The name of the advisory lock that a service holds while it unpacks images on a node ahead of any
 * create. It ends with the service, so that creates do not wait for one that was killed.
 */
export const unpackingLock = (nodeId: number) => `unpack images on node ${nodeId}`;

/**
 * Claims the unpacking of an image on a node, or finds that another create, or a service ahead of
 * any create, has claimed it, or that the lease was lost. Locks the row of the node, so that only
 * one can.
 */
export async function claimUnpacking(trx: Trx, operation: Unpacking & Lease): Promise<boolean> {
  await lockNode(trx, operation.nodeId);
  if (await isUnpackedAhead(trx, operation.nodeId)) return false;
  const other = await unpackingCreates(trx, operation)
    .where('operations.id', '<>', operation.id)
    .executeTakeFirst();
  if (other) return false;
  return await addToState(trx, operation, { unpacks: operation.fingerprint });
}

/** Whether a create has claimed the unpacking of an image on a node. */
export async function isUnpackingClaimed(db: Queryable, unpacking: Unpacking): Promise<boolean> {
  return (await unpackingCreates(db, unpacking).executeTakeFirst()) !== undefined;
}

/** Whether a create on a node makes its disk, for which it may have to unpack an image. */
export async function isDiskAwaited(db: Queryable, nodeId: number): Promise<boolean> {
  const creates = createsInProgress(db, nodeId).where('operations.step', '=', 'instance');
  return (await creates.executeTakeFirst()) !== undefined;
}

/** Creates share the lock until each has written its claim. */
async function isUnpackedAhead(trx: Trx, nodeId: number): Promise<boolean> {
  const { rows } = await sql<{ shared: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtextextended(${unpackingLock(nodeId)}, 0)) as shared`.execute(
    trx,
  );
  return !rows[0]?.shared;
}

async function lockNode(trx: Trx, id: number): Promise<void> {
  await trx.selectFrom('nodes').select('id').where('id', '=', id).forUpdate().execute();
}

/** The creates in progress on a node that unpack the image there. */
function unpackingCreates(db: Queryable, { nodeId, fingerprint }: Unpacking) {
  return createsInProgress(db, nodeId).where(
    sql<boolean>`operations.state ->> 'unpacks' = ${fingerprint}`,
  );
}

function createsInProgress(db: Queryable, nodeId: number) {
  return db
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .select('operations.id')
    .where('operations.kind', '=', 'create')
    .where('operations.finished_at', 'is', null)
    .where('servers.node_id', '=', nodeId);
}

/** Returns false if the lease was lost. */
async function addToState(trx: Trx, { id, fence }: Lease, patch: object): Promise<boolean> {
  const row = await trx
    .updateTable('operations')
    .set({ state: sql`state || ${JSON.stringify(patch)}::jsonb` })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('finished_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
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
