import { type Expression, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { notification, notify } from '../db/notifications.ts';
import type { CommandResult, Database } from '../db/schema/schema.ts';
import type { OperationRow } from './queries.ts';

/** A lease on an operation. Only its holder, who has the current fence, may write to the row. */
export interface Lease {
  id: number;
  fence: number;
}

export const leaseSeconds = 15;
const untilLeaseEnds = sql<string>`now() + make_interval(secs => ${sql.lit(leaseSeconds)})`;

/** An operation of an unknown kind or step is failed by any worker so long after its deadline. */
const unknownKindGraceSeconds = 60;

/** Builds a statement, or a part of one. */
type Builder = Pick<Queryable, 'selectFrom' | 'updateTable'>;

/**
 * The builder of a part of a statement, without the tables of the other parts: comparing all methods for both takes the
 * compiler seconds.
 */
const builder = (ofPart: object) => ofPart as Builder;

export interface Leasing {
  /** The id of the process in the leases. */
  holder: string;
  /** The steps of each kind that this version knows. */
  steps: ReadonlyMap<string, readonly string[]>;
}

/**
 * Leases so many operations at most: those that have been due the longest, the oldest first, among
 * those whose next step this version knows. The others are left to services that know them, until
 * they are past their deadline. An operation waits for the lease of a superseded one on the same
 * server or node to be released.
 */
export async function leaseDueOperations(
  db: Queryable,
  { holder, steps }: Leasing,
  limit: number,
): Promise<OperationRow[]> {
  return await db
    .with('leased', (leasing) =>
      lease(builder(leasing), holder, due(builder(leasing), steps, limit)),
    )
    .selectFrom('leased')
    .selectAll()
    .orderBy('wake_at')
    .execute();
}

/** The ids of due operations, whose rows it locks. */
function due(db: Builder, steps: Leasing['steps'], limit: number) {
  const known = JSON.stringify(Object.fromEntries(steps));
  return db
    .selectFrom('operations as due')
    .select('due.id')
    .where('due.finished_at', 'is', null)
    .where(sql<boolean>`due.wake_at <= now()`)
    .where(
      sql<boolean>`(coalesce(${known}::jsonb -> due.kind ? due.step, false)
        or due.deadline_at < now() - make_interval(secs => ${sql.lit(unknownKindGraceSeconds)}))`,
    )
    .where(sql<boolean>`coalesce(due.lease_until < now(), true)`)
    .where(
      sql<boolean>`not exists (
        select from operations other
        where other.server_id = due.server_id and other.id <> due.id
          and other.lease_until > now())`,
    )
    .where(
      sql<boolean>`(due.node_id is null or not exists (
        select from operations other
        where other.node_id = due.node_id and other.id <> due.id
          and other.lease_until > now()))`,
    )
    .orderBy('due.wake_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

function lease(db: Builder, holder: string, due: Expression<{ id: number }>) {
  return (
    db
      .updateTable('operations')
      .set({
        status: 'running',
        lease_holder: holder,
        lease_until: untilLeaseEnds,
        fence: sql`fence + 1`,
        started_at: sql`coalesce(started_at, now())`,
      })
      // An array is read once. A plan may read a subquery again, which would lock further rows.
      .where('id', '=', sql<number>`any(array(${due}))`)
      .returningAll()
  );
}

/** Whether work on an operation begins with the lease as which this row was returned. */
export function isFirstLease({ started_at: start, lease_until: end }: OperationRow): boolean {
  if (start === null || end === null) return false;
  return Date.parse(end) - Date.parse(start) === leaseSeconds * 1000;
}

/**
 * Renews a lease, also that of a superseded or cancelled operation whose step is still running.
 * `lost`: it expired, or another worker has it. `superseded`: it is still ours, but the step must be
 * aborted.
 */
export async function renewLease(
  db: Queryable,
  lease: Lease,
): Promise<'held' | 'superseded' | 'lost'> {
  const row = await db
    .updateTable('operations')
    // A statement that had to wait for the row lock may run after a later one.
    .set({ lease_until: sql`greatest(lease_until, ${untilLeaseEnds})` })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    // An expired lease must not be renewed: any worker may take it.
    .where('lease_until', '>', sql<string>`now()`)
    .returning('finished_at')
    .executeTakeFirst();
  if (!row) return 'lost';
  return row.finished_at === null ? 'held' : 'superseded';
}

/**
 * The current row of the operation; undefined if the lease was lost, or the operation has ended.
 */
export async function leasedOperation(
  db: Queryable,
  lease: Lease,
): Promise<OperationRow | undefined> {
  return await db
    .selectFrom('operations')
    .selectAll()
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
}

/** The options for releasing an operation without progress. */
export interface BackOff {
  /** The time until it is retried. */
  seconds: number;
  /** The reason, for operators. */
  reason: string;
  /** The message of the operation meanwhile. */
  message: string;
}

/**
 * Releases an operation, superseded or not, so that the next worker need not wait. With `backOff`
 * it counts as a failed attempt, unless it has ended: its end may have been committed although the
 * answer was lost. The next attempt is at the deadline at the latest, unless that has passed.
 */
export async function releaseLease(db: Queryable, lease: Lease, backOff?: BackOff): Promise<void> {
  await db
    .updateTable('operations')
    .set({ lease_holder: null, lease_until: null, ...(backOff && retryIn(backOff)) })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .execute();
  await notify(db, 'operation_released', { id: lease.id });
}

function retryIn({ seconds, reason, message }: BackOff) {
  const later = sql<string>`now() + make_interval(secs => ${seconds})`;
  const unlessEnded = <T>(column: string, value: unknown) =>
    sql<T>`case when finished_at is null then ${value} else ${sql.ref(column)} end`;
  return {
    attempts: unlessEnded<number>('attempts', sql`attempts + 1`),
    last_error: unlessEnded<string>('last_error', reason),
    message: unlessEnded<string>('message', message),
    wake_at: sql<string>`case when deadline_at > now() then least(${later}, deadline_at) else ${later} end`,
  };
}

/**
 * Removes all leases. It must be used only by the only service of a database, because earlier holders no longer run
 * then.
 */
export async function dropLeases(db: Queryable): Promise<void> {
  await db
    .updateTable('operations')
    .set({ lease_holder: null, lease_until: null })
    .where('lease_until', 'is not', null)
    .execute();
}

/** No step waits longer than this before it runs again. */
const maxWaitSeconds = 60;
/** No operation, nor part of one, may take longer. */
const maxDeadlineHours = 6;

/**
 * Corrects times that are too far in the future, because the clock was set back: otherwise
 * operations would wait until the clock has caught up. A lease that holds up nothing is corrected
 * once something waits for it. Returns how many there were.
 */
export async function clampFutureTimes(db: Queryable): Promise<number> {
  const result = await sql`
    with unfinished as (select id, server_id, node_id from operations where finished_at is null),
    -- One that was ended early keeps its lease until its step ends, and holds up the next one of its server or node.
    concerned as (
      select id from unfinished
      union select other.id from unfinished join operations other using (server_id)
        where other.lease_until > ${untilLeaseEnds}
      union select other.id from unfinished join operations other using (node_id)
        where other.lease_until > ${untilLeaseEnds}
    )
    update operations set
      wake_at = case when wake_at > now() + make_interval(secs => ${sql.lit(maxWaitSeconds)})
        then now() else wake_at end,
      -- Not least(): it ignores nulls, and would lease what nobody holds.
      lease_until = case when lease_until > ${untilLeaseEnds}
        then ${untilLeaseEnds} else lease_until end,
      deadline_at = least(deadline_at, now() + make_interval(hours => ${sql.lit(maxDeadlineHours)}))
    where id = any(array(select id from concerned))
      and (wake_at > now() + make_interval(secs => ${sql.lit(maxWaitSeconds)})
        or lease_until > ${untilLeaseEnds}
        or deadline_at > now() + make_interval(hours => ${sql.lit(maxDeadlineHours)}))
  `.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

export interface StepCommit {
  step?: string;
  patch?: Record<string, unknown>;
  commands?: CommandResult[] | undefined;
  deadlineSeconds?: number | undefined;
  progress: number;
  message: string;
  wakeInSeconds?: number;
  /**
   * The `wake_at` for which the waiting step ran. If the row has another one by now, it was woken
   * meanwhile.
   */
  wokenAt?: string;
  attempts?: number;
  lastError?: string | null;
  /** No step has been run yet, so that the operation is shown as pending. */
  isPending?: boolean;
}

/**
 * Commits the result of a step. It wakes up at the deadline at the latest. Returns undefined if the
 * lease was lost; nothing is written then.
 */
export async function commitStep(
  db: Queryable,
  lease: Lease,
  commit: StepCommit,
): Promise<OperationRow | undefined> {
  const { deadlineSeconds, wakeInSeconds = 0, wokenAt } = commit;
  const deadline =
    deadlineSeconds === undefined
      ? sql.ref<string>('deadline_at')
      : sql<string>`now() + make_interval(secs => ${deadlineSeconds})`;
  const wakeAt = sql<string>`least(now() + make_interval(secs => ${wakeInSeconds}), ${deadline})`;
  return await db
    .updateTable('operations')
    .set({
      ...(commit.step !== undefined && { step: commit.step, step_since: sql`now()` }),
      ...(commit.patch && { state: sql`state || ${JSON.stringify(commit.patch)}::jsonb` }),
      ...(commit.commands && { commands: JSON.stringify(commit.commands) }),
      ...(commit.isPending && { status: 'pending', started_at: null }),
      deadline_at: deadline,
      progress: sql`greatest(progress, ${commit.progress})`,
      message: commit.message,
      wake_at:
        wokenAt === undefined
          ? wakeAt
          : sql`case when wake_at = ${wokenAt} then ${wakeAt} else now() end`,
      attempts: commit.attempts ?? 0,
      last_error: commit.lastError ?? null,
    })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('finished_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Writes the progress within a step. Does nothing if the lease was lost. */
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
  | {
      status: 'failed';
      message: string;
      error: { code: string; message: string };
      keepSecrets?: boolean;
    };

/** A change to a server as a part of the statement that ends its operation. */
export type Change = (
  db: Builder,
) => UpdateQueryBuilder<Database, 'servers', 'servers', UpdateResult>;

/** What is left to do after an operation has ended. */
export interface Ended {
  /** Whether outputs of its project are kept, of this operation or of others. */
  keepsOutputs: boolean;
}

const keepsOutputs = sql<boolean>`(coalesce(output_bytes, 0) > 0 or exists (
  select from operations kept
  where kept.project_id = operations.project_id and kept.output_bytes > 0))`;

/**
 * Ends an operation, releases its lease, and wipes its secrets unless they are to be kept. Returns
 * undefined if the lease was lost.
 */
export async function finishOperation(
  trx: Trx,
  lease: Lease,
  ending: Ending,
): Promise<Ended | undefined> {
  return await finishing(trx, lease, ending)
    .selectFrom('finished')
    .select(['finished.keepsOutputs', 'finished.notified'])
    .executeTakeFirst();
}

/**
 * The same in one statement together with a change, and with the lease of the next due operation,
 * unless `limit` is 0. If the lease was lost, nothing is changed, and nothing leased. The next one is
 * locked last, and never waited for.
 */
export async function finishAndLease(
  db: Db,
  finished: Lease,
  ending: Ending,
  also: { change: Change; leasing: Leasing; limit?: 0 | 1 },
): Promise<(Ended & { next: OperationRow | undefined }) | undefined> {
  const { change, leasing: by, limit = 1 } = also;
  const isFinished = sql<boolean>`exists (select from finished)`;
  const row = await finishing(db, finished, ending)
    .with('changed', (changing) => change(builder(changing)).where(isFinished))
    .with('leased', (leasing) =>
      lease(builder(leasing), by.holder, due(builder(leasing), by.steps, limit).where(isFinished)),
    )
    .selectFrom('finished')
    .leftJoin('leased', (join) => join.onTrue())
    .selectAll('leased')
    .select(['finished.keepsOutputs', 'finished.notified'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { keepsOutputs, notified: _, ...next } = row;
  return { keepsOutputs, next: next.id === null ? undefined : (next as OperationRow) };
}

/**
 * Locks the server or the node before its operation, as requests do. In another order, the two could
 * deadlock.
 */
function finishing(db: Queryable, lease: Lease, ending: Ending) {
  const subject = (of: object, column: 'server_id' | 'node_id') =>
    builder(of).selectFrom('operations').select(column).where('id', '=', lease.id);
  return db
    .with('server', (locking) =>
      locking
        .selectFrom('servers')
        .select('id')
        .where('id', '=', subject(locking, 'server_id'))
        .forUpdate(),
    )
    .with('node', (locking) =>
      locking
        .selectFrom('nodes')
        .select('id')
        .where('id', '=', subject(locking, 'node_id'))
        .forUpdate(),
    )
    .with('finished', (finishing) =>
      finishing
        .updateTable('operations')
        .set({
          status: ending.status,
          message: ending.message,
          error: ending.status === 'failed' ? JSON.stringify(ending.error) : null,
          ...(ending.status === 'succeeded' && { progress: 100 }),
          ...(!(ending.status === 'failed' && ending.keepSecrets) && { secrets: null }),
          ...ended,
        })
        .where('id', '=', lease.id)
        .where('fence', '=', lease.fence)
        .where('finished_at', 'is', null)
        .where(sql<boolean>`(select count(*) from server) + (select count(*) from node) > 0`)
        .returning([
          keepsOutputs.as('keepsOutputs'),
          notification('operation_finished', { id: lease.id }).as('notified'),
        ]),
    );
}

const ended = {
  finished_at: sql<string>`now()`,
  lease_holder: null,
  lease_until: null,
};
