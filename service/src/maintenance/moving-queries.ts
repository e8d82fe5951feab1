import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { notify } from '../db/notifications.ts';
import {
  type OperationRow,
  type OperationStart,
  startColumns,
  supersededBy,
} from '../operations/queries.ts';

/** Inserts an operation on a node. Any worker may lease it as soon as the transaction commits. */
export async function insertNodeOperation(
  trx: Trx,
  { nodeId, ...operation }: OperationStart & { nodeId: number },
): Promise<OperationRow> {
  const row = await trx
    .insertInto('operations')
    .values({ node_id: nodeId, ...startColumns(operation) })
    .returningAll()
    .executeTakeFirstOrThrow();
  await notify(trx, 'operation_due', { id: row.id });
  return row;
}

/** The operation in progress on a node. */
export async function unfinishedNodeOperation(
  trx: Trx,
  nodeId: number,
): Promise<OperationRow | undefined> {
  return await trx
    .selectFrom('operations')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Supersedes an operation on a node by another one, which waits until the worker has released the
 * first.
 */
export async function supersedeNodeOperation(trx: Trx, id: number, by: string): Promise<void> {
  await trx.updateTable('operations').set(supersededBy(by)).where('id', '=', id).execute();
  await notify(trx, 'operation_superseded', { id });
  await notify(trx, 'operation_finished', { id });
}

/** A server that an operation on a node has to move. */
export interface ServerToMove {
  id: number;
  projectId: number;
  hostname: string;
  /** Whether an operation on it is in progress, or its location after one was not seen yet. */
  isBusy: boolean;
  /** Why the last move that was part of the operation failed; null unless it did. */
  failure: string | null;
}

/**
 * The servers that an evacuation has yet to move: all that are on the node, or are being moved to
 * it.
 */
export async function serversOn(
  db: Queryable,
  operation: { id: number; node_id: number },
): Promise<ServerToMove[]> {
  return await serversToMove(
    db,
    operation.id,
    sql`${operation.node_id} in (s.node_id, s.moving_to)`,
  );
}

/**
 * The servers that a restore has yet to move: all that an evacuation has moved away from the node,
 * or is moving.
 */
export async function serversTakenFrom(
  db: Queryable,
  operation: { id: number; node_id: number },
): Promise<ServerToMove[]> {
  const node = operation.node_id;
  const isLeaving = sql`s.node_id = ${node} and s.moving_to is not null`;
  const which = sql`(s.evacuated_from = ${node} or (${isLeaving}))`;
  return await serversToMove(db, operation.id, which);
}

async function serversToMove(
  db: Queryable,
  parentId: number,
  which: ReturnType<typeof sql>,
): Promise<ServerToMove[]> {
  const { rows } = await sql<ServerToMove>`
    select s.id, s.project_id as "projectId", s.hostname,
      s.moving_to is not null or exists (
        select from operations o where o.server_id = s.id and o.finished_at is null
      ) as "isBusy",
      (
        select case when o.status = 'failed' then o.error ->> 'message' end from operations o
        where o.parent_id = ${parentId} and o.server_id = s.id order by o.id desc limit 1
      ) as failure
    from servers s where ${which} and s.deleted_at is null order by s.id`.execute(db);
  return rows;
}

/** How many servers an operation on a node has moved, and how many it is moving. */
export async function countMoves(
  db: Queryable,
  parentId: number,
): Promise<{ moved: number; underWay: number }> {
  const { rows } = await sql<{ moved: number; underWay: number }>`
    select count(distinct server_id) filter (where status = 'succeeded')::integer as moved,
      count(*) filter (where finished_at is null)::integer as "underWay"
    from operations where parent_id = ${parentId}`.execute(db);
  return rows[0] ?? { moved: 0, underWay: 0 };
}

/** Records whether the engine has evacuated a node. */
export async function setEvacuated(db: Db | Trx, id: number, evacuated: boolean): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ evacuated, updated_at: sql<string>`now()` })
    .where('id', '=', id)
    .execute();
}
