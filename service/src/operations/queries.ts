import { type Selectable, sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { type After, isBeyond } from '../db/keyset.ts';
import { notify } from '../db/notifications.ts';
import type { Database } from '../db/schema.ts';

export type OperationRow = Selectable<Database['operations']>;

export interface NewOperation {
  projectId: number;
  serverId: number;
  kind: string;
  step: string;
  message: string;
  deadlineSeconds: number;
  state?: Record<string, unknown>;
  secrets?: Buffer;
}

/** Enters an operation, to be picked up by any worker as soon as the transaction commits. */
export async function insertOperation(trx: Trx, operation: NewOperation): Promise<OperationRow> {
  const row = await trx
    .insertInto('operations')
    .values({
      project_id: operation.projectId,
      server_id: operation.serverId,
      kind: operation.kind,
      step: operation.step,
      message: operation.message,
      state: JSON.stringify(operation.state ?? {}),
      secrets: operation.secrets ?? null,
      deadline_at: sql<string>`now() + make_interval(secs => ${operation.deadlineSeconds})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await notify(trx, 'operation_due', { id: row.id });
  return row;
}

/** The operation in progress on a server, locked until the transaction ends. */
export async function unfinishedOperation(
  trx: Trx,
  serverId: number,
): Promise<OperationRow | undefined> {
  return await trx
    .selectFrom('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Ends an operation in favour of another one. Its worker keeps the lease until it has let go of
 * the engine: until then the other one is not leased.
 */
export async function supersedeOperation(trx: Trx, id: number, by: string): Promise<void> {
  await trx
    .updateTable('operations')
    .set({
      status: 'superseded',
      message: `Superseded by ${by}.`,
      secrets: null,
      finished_at: sql<string>`now()`,
    })
    .where('id', '=', id)
    .execute();
  await notify(trx, 'operation_superseded', { id });
  await notify(trx, 'operation_finished', { id });
}

/** The failed create of a server whose secrets are still there, locked. */
export async function failedCreate(trx: Trx, serverId: number): Promise<OperationRow | undefined> {
  return await trx
    .selectFrom('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is not', null)
    .where('secrets', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Of the ended operations of a server that is not to be tried again. */
export async function wipeSecrets(trx: Trx, serverId: number): Promise<void> {
  await trx
    .updateTable('operations')
    .set({ secrets: null })
    .where('server_id', '=', serverId)
    .where('finished_at', 'is not', null)
    .where('secrets', 'is not', null)
    .execute();
}

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

/** What the API shows of an operation: neither its secrets nor what its steps keep. */
const shownColumns = [
  'id',
  'kind',
  'server_id',
  'status',
  'step',
  'progress',
  'message',
  'error',
  'commands',
  'created_at',
  'started_at',
  'finished_at',
] as const;

export type ShownOperation = Pick<OperationRow, (typeof shownColumns)[number]>;

/** An operation of a project. */
export async function findOperation(
  db: Queryable,
  projectId: number,
  id: number,
): Promise<ShownOperation | undefined> {
  return await db
    .selectFrom('operations')
    .select(shownColumns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export interface OperationPage {
  filters: {
    server_id?: number | undefined;
    status?: OperationRow['status'] | undefined;
    kind?: string | undefined;
  };
  sort: 'id' | 'created_at';
  descending: boolean;
  after: After | undefined;
  limit: number;
}

/** A project's operations, those of deleted servers included. */
export async function listOperations(
  db: Queryable,
  projectId: number,
  { filters, sort, descending, after, limit }: OperationPage,
): Promise<ShownOperation[]> {
  let query = db.selectFrom('operations').select(shownColumns).where('project_id', '=', projectId);
  if (filters.server_id) query = query.where('server_id', '=', filters.server_id);
  if (filters.status) query = query.where('status', '=', filters.status);
  if (filters.kind) query = query.where('kind', '=', filters.kind);
  if (after) query = query.where(isBeyond(after, { sort, id: 'id', descending }));
  const direction = descending ? 'desc' : 'asc';
  return await query.orderBy(sort, direction).orderBy('id', direction).limit(limit).execute();
}
