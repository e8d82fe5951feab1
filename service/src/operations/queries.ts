import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { notify } from '../db/notifications.ts';
import type { CommandResult, Database } from '../db/schema.ts';

export type OperationRow = Selectable<Database['operations']>;

/** A lease on an operation: only its holder, with its fence, may write to the row. */
export interface Lease {
  id: number;
  fence: number;
}

const leaseSeconds = 15;
const untilLeaseEnds = sql<string>`now() + make_interval(secs => ${sql.lit(leaseSeconds)})`;

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

/**
 * Leases the operation of these kinds that has been due the longest, if there is one. A superseded operation
 * whose worker has not let go yet holds back the next one of its server.
 */
export async function leaseNextOperation(
  db: Queryable,
  holder: string,
  kinds: readonly string[],
): Promise<OperationRow | undefined> {
  return await db
    .updateTable('operations')
    .set({
      status: 'running',
      lease_holder: holder,
      lease_until: untilLeaseEnds,
      fence: sql`fence + 1`,
      started_at: sql`coalesce(started_at, now())`,
    })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('operations as due')
        .select('due.id')
        .where('due.finished_at', 'is', null)
        .where('due.kind', 'in', kinds)
        .where(sql<boolean>`due.wake_at <= now()`)
        .where(sql<boolean>`coalesce(due.lease_until < now(), true)`)
        .where(
          sql<boolean>`not exists (
            select from operations other
            where other.server_id = due.server_id and other.id <> due.id
              and other.lease_until > now())`,
        )
        .orderBy('due.wake_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

/**
 * Keeps a lease, also that of a superseded operation whose step has not let go yet.
 * `lost`: somebody else has it. `superseded`: ours, but to be given up.
 */
export async function renewLease(
  db: Queryable,
  lease: Lease,
): Promise<'held' | 'superseded' | 'lost'> {
  const row = await db
    .updateTable('operations')
    .set({ lease_until: untilLeaseEnds })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('lease_holder', 'is not', null)
    .returning('finished_at')
    .executeTakeFirst();
  if (!row) return 'lost';
  return row.finished_at === null ? 'held' : 'superseded';
}

/** Lets go of an operation, superseded or not, so that the next worker need not wait. */
export async function releaseLease(db: Queryable, lease: Lease): Promise<void> {
  await db
    .updateTable('operations')
    .set({ lease_holder: null, lease_until: null })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .execute();
  await notify(db, 'operation_released', { id: lease.id });
}

/** For the only service on a database: whoever held a lease before it is gone. */
export async function dropLeases(db: Queryable): Promise<void> {
  await db
    .updateTable('operations')
    .set({ lease_holder: null, lease_until: null })
    .where('lease_until', 'is not', null)
    .execute();
}

export interface StepCommit {
  step?: string;
  patch?: Record<string, unknown>;
  commands?: CommandResult[] | undefined;
  progress: number;
  message: string;
  wakeInSeconds?: number;
  attempts?: number;
  lastError?: string | null;
}

/** Writes what a step came to. Undefined when the lease is no longer ours: nothing was written. */
export async function commitStep(
  db: Queryable,
  lease: Lease,
  commit: StepCommit,
): Promise<OperationRow | undefined> {
  return await db
    .updateTable('operations')
    .set({
      ...(commit.step !== undefined && { step: commit.step }),
      ...(commit.patch && { state: sql`state || ${JSON.stringify(commit.patch)}::jsonb` }),
      ...(commit.commands && { commands: JSON.stringify(commit.commands) }),
      progress: sql`greatest(progress, ${commit.progress})`,
      message: commit.message,
      wake_at: sql`now() + make_interval(secs => ${commit.wakeInSeconds ?? 0})`,
      attempts: commit.attempts ?? 0,
      last_error: commit.lastError ?? null,
    })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('finished_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Shows progress within a step. Harmless when the lease is gone. */
export async function reportProgress(
  db: Queryable,
  lease: Lease,
  progress: number,
  message: string,
): Promise<void> {
  await db
    .updateTable('operations')
    .set({ progress: sql`greatest(progress, ${progress})`, message })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('finished_at', 'is', null)
    .execute();
}

export type Ending =
  | { status: 'succeeded'; message: string }
  | { status: 'failed'; message: string; error: { code: string; message: string } };

/** Ends an operation and wipes its secrets. False when the lease is no longer ours. */
export async function finishOperation(trx: Trx, lease: Lease, ending: Ending): Promise<boolean> {
  await lockServerOf(trx, lease.id);
  const result = await trx
    .updateTable('operations')
    .set({
      status: ending.status,
      message: ending.message,
      error: ending.status === 'failed' ? JSON.stringify(ending.error) : null,
      ...(ending.status === 'succeeded' && { progress: 100 }),
      ...ended,
    })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await notify(trx, 'operation_finished', { id: lease.id });
  return true;
}

/**
 * A request locks the server and then its operation. Whoever ends an operation changes its server
 * too, so must do the same: the other way round, the two could wait for each other.
 */
async function lockServerOf(trx: Trx, operationId: number): Promise<void> {
  await trx
    .selectFrom('servers')
    .select('id')
    .where('id', '=', (eb) =>
      eb.selectFrom('operations').select('server_id').where('id', '=', operationId),
    )
    .forUpdate()
    .execute();
}

const ended = {
  secrets: null,
  finished_at: sql<string>`now()`,
  lease_holder: null,
  lease_until: null,
};

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
    .where(sql<boolean>`operations.state ? 'has_place'`)
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

/** An operation of a project. */
export async function findOperation(
  db: Queryable,
  projectId: number,
  id: number,
): Promise<OperationRow | undefined> {
  return await db
    .selectFrom('operations')
    .selectAll()
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
  after: { value: string | number; id: number } | undefined;
  /** How many at most; undefined for all. */
  fetch: number | undefined;
}

/** A project's operations, those of deleted servers included. */
export async function listOperations(
  db: Queryable,
  projectId: number,
  { filters, sort, descending, after, fetch }: OperationPage,
): Promise<OperationRow[]> {
  let query = db.selectFrom('operations').selectAll().where('project_id', '=', projectId);
  if (filters.server_id) query = query.where('server_id', '=', filters.server_id);
  if (filters.status) query = query.where('status', '=', filters.status);
  if (filters.kind) query = query.where('kind', '=', filters.kind);
  if (after) query = query.where(isBeyond(sort, descending, after));
  if (fetch) query = query.limit(fetch);
  const direction = descending ? 'desc' : 'asc';
  return await query.orderBy(sort, direction).orderBy('id', direction).execute();
}

function isBeyond(
  sort: string,
  descending: boolean,
  after: { value: string | number; id: number },
) {
  const beyond = sql.raw(descending ? '<' : '>');
  return sql<boolean>`(${sql.ref(sort)}, id) ${beyond} (${after.value}, ${after.id})`;
}
