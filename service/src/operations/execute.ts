import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError, isEngineError, messageForUsers } from '../incus/transport/errors.ts';
import { reasonOf } from '../lib/outage.ts';
import { pause } from '../lib/pause.ts';
import {
  type Failure,
  fail,
  type OperationKind,
  type OperationSettings,
  progressAt,
  type StepResult,
  sentence,
  type Write,
} from './define.ts';
import { type KeptLease, keepLease, type Leased } from './lease.ts';
import {
  type BackOff,
  type Change,
  commitStep,
  type Ended,
  type Ending,
  finishAndLease,
  finishOperation,
  isFirstLease,
  type Lease,
  type Leasing,
  leasedOperation,
  leaseSeconds,
  releaseLease,
  type StepCommit,
} from './lease-queries.ts';
import { dropOutputs } from './output-queries.ts';
import type { OperationRow } from './queries.ts';
import { throttledProgress } from './report.ts';

const releaseRetryMilliseconds = 300;
/**
 * Shorter waits keep the lease, because releasing it and leasing again would take longer than the
 * wait.
 */
const maxHeldWaitSeconds = 1;
const maxRetrySeconds = 30;
/** How long what was read of a steady subject is used. */
const steadyMilliseconds = 1000;
/** How often to check whether the unreachable node of a server is back. */
const unreachablePollSeconds = 3;

/** Receives what happens to operations. */
export interface OperationObserver {
  /** `seconds` is counted from the request. */
  ended(kind: string, outcome: 'succeeded' | 'failed', seconds: number): void;
  /** A step failed, and will be retried. */
  retried(kind: string, step: string): void;
  /** The outputs of so many operations were removed, because their project was over its quota. */
  outputsDropped(count: number): void;
}

/** The dependencies of an execution. */
export interface Execution {
  db: Db;
  /** Connections that are used only to renew leases, so that a busy pool loses no lease. */
  leases: Db;
  engine(locationId: number): Promise<IncusClient>;
  settings: OperationSettings;
  log: Logger;
  observer?: OperationObserver;
  /** How the next operation is leased when one has ended. */
  leasing: Leasing;
}

/** How an operation is carried out by its worker. */
export interface Run {
  abort: AbortController;
  /** Aborted with `abort`, and when the process stops. */
  signal: AbortSignal;
  /** Called at once with the operation that was leased at the end of this one. */
  startNext(next: Leased): void;
}

/** Runs a leased operation from its stored step until it ends, waits for long, or is aborted. */
export async function executeOperation(
  execution: Execution,
  of: OperationKind,
  leased: Leased,
  { abort, signal, startNext }: Run,
): Promise<void> {
  const lease = keepLease({ ...execution, giveUp: () => abort.abort() }, leased);
  const kind = of.isSteady ? sharingSubject(of) : of;
  let { operation } = leased;
  let hasEnded = false;
  let hasBegun = !isFirstLease(operation);
  let backOff: BackOff | undefined;
  try {
    while (lease.isHeld() && !signal.aborted) {
      const held = { lease, signal, startNext, hasBegun };
      const advanced = await advance(execution, kind, operation, held);
      hasBegun = true;
      hasEnded = advanced === 'ended';
      if (!advanced || advanced === 'ended') break;
      operation = advanced;
    }
  } catch (error) {
    backOff = backOffAfterFailedCommit(execution, kind, operation, error);
  } finally {
    try {
      // The end of an operation releases its lease.
      if (!hasEnded) await release(execution, lease, backOff);
    } finally {
      await lease.stop();
    }
  }
}

/** The same kind for one operation: steps within a second share what was loaded of its subject. */
function sharingSubject(kind: OperationKind): OperationKind {
  let last: { at: number; subject: Awaited<ReturnType<OperationKind['load']>> } | undefined;
  return {
    ...kind,
    async load(db, operation) {
      const at = performance.now();
      if (last && at - last.at < steadyMilliseconds) return last.subject;
      const subject = await kind.load(db, operation);
      last = { at, subject };
      return subject;
    },
  };
}

/**
 * Releases the lease, so that the next worker need not wait. While the database is unavailable, it
 * retries until the lease would have expired. Throws if that fails; the lease then expires, since
 * nothing renews it.
 */
async function release({ leases }: Execution, lease: Lease, backOff?: BackOff): Promise<void> {
  const end = performance.now() + leaseSeconds * 1000;
  for (;;) {
    try {
      return await releaseLease(leases, lease, backOff);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > end) throw error;
      await sleep(releaseRetryMilliseconds);
    }
  }
}

interface Held extends Omit<Run, 'abort'> {
  lease: KeptLease;
  /** Whether a step may have been run before. */
  hasBegun: boolean;
}

/** The operation after a commit, or its end; undefined if there is nothing more to do for now. */
type Advanced = OperationRow | 'ended' | undefined;

/** Runs one step and commits its result. */
async function advance(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  held: Held,
): Promise<Advanced> {
  const { lease, signal } = held;
  if (new Date(operation.deadline_at).getTime() < Date.now()) {
    return await commit(execution, kind, operation, pastDeadline(operation), held);
  }
  const result = await runUntilDeadline(execution, kind, operation, signal);
  // The next worker starts from what was committed before.
  if (!result || !lease.isHeld()) return undefined;
  return await commit(execution, kind, operation, result, held);
}

/** Runs a step, and aborts it at the operation's deadline. */
async function runUntilDeadline(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  signal: AbortSignal,
): Promise<StepResult<unknown> | undefined> {
  const deadline = new AbortController();
  const left = new Date(operation.deadline_at).getTime() - Date.now();
  const timer = setTimeout(() => deadline.abort(), left);
  try {
    const result = await runStep(
      execution,
      kind,
      operation,
      AbortSignal.any([signal, deadline.signal]),
    );
    return result ?? (signal.aborted ? undefined : pastDeadline(operation));
  } finally {
    clearTimeout(timer);
  }
}

async function runStep(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  signal: AbortSignal,
): Promise<StepResult<unknown> | undefined> {
  const step = kind.steps[operation.step];
  if (!step) return fail('unknown_step', unknownStep(operation));
  const progress = throttledProgress(execution, operation, kind);
  try {
    const given = { signal, report: progress.report };
    return await runOnSubject(execution, kind, step, operation, given);
  } catch (error) {
    if (signal.aborted) return undefined;
    return retryOrFail(execution, operation, error);
  } finally {
    await progress.settled();
  }
}

/** Loads the subject of the operation, and runs the step on it. */
async function runOnSubject(
  { db, engine, log, settings }: Execution,
  kind: OperationKind,
  step: OperationKind['steps'][string],
  operation: OperationRow,
  given: { signal: AbortSignal; report: (fraction: number, doing?: string) => void },
): Promise<StepResult<unknown>> {
  const { id } = operation;
  if (!kind.isOf(operation))
    throw new TypeError(`The operation ${id} belongs to no ${kind.subject}.`);
  const { about, locationId, away } = await kind.load(db, operation);
  // A call to an unreachable node takes seconds to fail, and occupies a slot meanwhile.
  if (away !== undefined) {
    const why = `waiting for ${away}, which does not answer`;
    return { outcome: 'wait', seconds: unreachablePollSeconds, why, isNotRun: true };
  }
  const incus = await engine(locationId);
  const surroundings = { ...given, db, incus, settings, log: logOf(log, operation) };
  return await step.run({ ...surroundings, ...about, operation });
}

const logOf = (log: Logger, { id, step }: OperationRow) => log.child({ operation: id, step });

/**
 * Fails at once if the error is permanent. Otherwise the step is retried, with exponential backoff.
 */
function retryOrFail(
  { log, observer }: Execution,
  operation: OperationRow,
  error: unknown,
): StepResult<unknown> {
  const about = { err: error, operation: operation.id, step: operation.step };
  const message = publicReason(error);
  if (error instanceof EngineError && !error.retryable) {
    log.warn(about, 'A step of an operation failed.');
    return fail(`engine_${error.code}`, message);
  }
  log.warn(
    isExpected(error)
      ? { reason: reasonOf(error), operation: operation.id, step: operation.step }
      : about,
    'A step of an operation failed. It will be retried.',
  );
  observer?.retried(operation.kind, operation.step);
  const seconds = secondsUntilRetry(operation);
  // Stored for operators; `npm run inspect` shows it.
  const retry = error instanceof EngineError ? error.message : message;
  return { outcome: 'wait', seconds, why: retrying(message), retry };
}

/** Whether it is a known condition of Incus, which passes. Its stack says nothing. */
const isExpected = (error: unknown) => isEngineError(error, 'busy') && error.retryable;

/**
 * The back-off after the result of a step could not be committed. The step runs again, as after a
 * failure.
 */
function backOffAfterFailedCommit(
  { log, observer }: Execution,
  kind: OperationKind,
  operation: OperationRow,
  error: unknown,
): BackOff {
  const { id, step } = operation;
  log.warn({ err: error, operation: id, step }, 'The result of a step could not be written.');
  observer?.retried(operation.kind, step);
  const reason = publicReason(error);
  const message = sentence(kind, step, retrying(reason));
  return { seconds: secondsUntilRetry(operation), reason, message };
}

const secondsUntilRetry = ({ attempts }: OperationRow) =>
  Math.min(0.5 * 2 ** attempts, maxRetrySeconds);

/** For the end of a message. `reason` is a sentence. */
const retrying = (reason: string) => `retrying because ${clause(reason)}`;

const clause = (sentence: string) =>
  sentence.replace(/^(The|There|An|A|Another) /, (first) => first.toLowerCase()).replace(/\.$/, '');

/** The reason without details: the engine's message and internal errors are in the log only. */
function publicReason(error: unknown): string {
  return error instanceof EngineError
    ? messageForUsers(error)
    : 'There was an internal error, which the log shows.';
}

async function commit(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  result: StepResult<unknown>,
  held: Held,
): Promise<Advanced> {
  switch (result.outcome) {
    case 'next':
      return await commitStep(execution.db, operation, {
        step: result.step,
        ...(result.patch && { patch: result.patch }),
        commands: result.commands,
        deadlineSeconds: result.deadlineSeconds,
        progress: progressAt(kind, result.step, 0),
        message: sentence(kind, result.step),
      });
    case 'wait':
      return await commitWait(execution, kind, operation, { wait: result, held });
    case 'done':
      return await end(execution, kind, operation, { result, held });
    case 'fail':
      return await recover(execution, kind, operation, { result, held });
  }
}

/**
 * Goes to the kind's recovery step, once. A failure without one, or during it, or after which it is
 * not needed, ends the operation.
 */
async function recover(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  { result, held }: { result: Extract<StepResult<unknown>, { outcome: 'fail' }>; held: Held },
): Promise<Advanced> {
  const { recovery } = kind;
  const isNeeded = recovery?.isNeeded?.(operation.state) ?? true;
  if (!recovery || !isNeeded || operation.step === recovery.step) {
    return await end(execution, kind, operation, { result, held });
  }
  const { code, message } = result;
  return await commitStep(execution.db, operation, {
    step: recovery.step,
    deadlineSeconds: recovery.deadlineSeconds,
    patch: { failure: { code, message } } satisfies Failure,
    progress: progressAt(kind, recovery.step, 0),
    message: sentence(kind, recovery.step),
  });
}

async function commitWait(
  { db }: Execution,
  kind: OperationKind,
  operation: OperationRow,
  {
    wait,
    held: { hasBegun, signal },
  }: { wait: Extract<StepResult<unknown>, { outcome: 'wait' }>; held: Held },
): Promise<OperationRow | undefined> {
  const isHeld = wait.seconds <= maxHeldWaitSeconds;
  const commit = {
    ...(wait.patch && { patch: wait.patch }),
    ...(wait.commands && { commands: wait.commands }),
    isPending: wait.isNotRun === true && !hasBegun,
    progress: progressAt(kind, operation.step, wait.fraction ?? 0),
    message: sentence(kind, operation.step, wait.why),
    wakeInSeconds: wait.seconds,
    wokenAt: operation.wake_at,
    attempts: wait.retry === undefined ? 0 : operation.attempts + 1,
    lastError: wait.retry ?? null,
  };
  if (!isHeld || !isUnchanged(operation, commit)) {
    await commitStep(db, operation, commit);
  }
  if (!isHeld) return undefined;
  await pause(wait.seconds * 1000, signal);
  // Another worker may have leased and ended the operation meanwhile. Running a step again would
  // undo what came after.
  return await leasedOperation(db, operation);
}

/**
 * Whether the row already says all of this. Some steps poll several times a second, and should not
 * write each time. Without attempts there is no last error.
 */
function isUnchanged(operation: OperationRow, commit: StepCommit): boolean {
  return (
    commit.patch === undefined &&
    commit.commands === undefined &&
    commit.message === operation.message &&
    commit.progress <= operation.progress &&
    commit.attempts === operation.attempts
  );
}

async function end(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  {
    result,
    held,
  }: { result: Extract<StepResult<unknown>, { outcome: 'done' | 'fail' }>; held: Held },
): Promise<'ended' | undefined> {
  const { log, observer } = execution;
  const written = ending(kind, result);
  const ended =
    'change' in result
      ? await endAndStartNext(execution, operation, written, { change: result.change, held })
      : await endInTransaction(execution, kind, operation, { result, written });
  if (!ended) return undefined;
  observer?.ended(kind.kind, written.status, secondsSince(operation.created_at));
  log.info(
    { operation: operation.id, kind: kind.kind, outcome: result.outcome },
    'Operation ended.',
  );
  if (ended.keepsOutputs) await enforceOutputQuota(execution, operation);
  return 'ended';
}

/** A process that stops leases no other operation. */
async function endAndStartNext(
  { db, leasing }: Execution,
  operation: OperationRow,
  written: Ending,
  { change, held: { signal, startNext } }: { change: Change; held: Held },
): Promise<Ended | undefined> {
  // The connection is taken first, so that the time spent waiting for it is not part of the lease.
  return await db.connection().execute(async (connection) => {
    const askedAt = performance.now();
    const limit = signal.aborted ? 0 : 1;
    const also = { change, leasing, limit } as const;
    const ended = await finishAndLease(connection, operation, written, also);
    if (ended?.next) startNext({ operation: ended.next, askedAt });
    return ended;
  });
}

async function endInTransaction(
  { db }: Execution,
  kind: OperationKind,
  operation: OperationRow,
  {
    result,
    written,
  }: {
    result: Extract<StepResult<unknown>, { write: Write } | { outcome: 'fail' }>;
    written: Ending;
  },
): Promise<Ended | undefined> {
  return await db.transaction().execute(async (trx) => {
    const finished = await finishOperation(trx, operation, written);
    if (!finished) return undefined;
    if (result.outcome === 'done') await result.write(trx);
    else if (kind.isOf(operation)) {
      const { code, message } = result;
      await kind.failed(trx, { ...operation, error: { code, message } }, message);
    }
    return finished;
  });
}

/**
 * Removes the oldest outputs of a project that is over its quota. Outputs are kept from the end of
 * an operation on; it may be this one, or one that it superseded. If this fails, housekeeping makes
 * up for it.
 */
async function enforceOutputQuota(
  { db, log, observer }: Pick<Execution, 'db' | 'log' | 'observer'>,
  { project_id: project }: OperationRow,
): Promise<void> {
  if (project === null) return;
  try {
    const dropped = await dropOutputs(db, project);
    if (dropped === 0) return;
    observer?.outputsDropped(dropped);
    log.info(
      { project, dropped },
      'The oldest outputs of a project were removed because of its quota.',
    );
  } catch (error) {
    log.warn(
      { err: error },
      'Outputs beyond a quota could not be removed. Housekeeping will retry.',
    );
  }
}

function ending(
  kind: OperationKind,
  result: Extract<StepResult<unknown>, { outcome: 'done' | 'fail' }>,
): Ending {
  if (result.outcome === 'done') return { status: 'succeeded', message: result.message };
  const { code, message } = result;
  return {
    status: 'failed',
    message: `${kind.title} failed: ${message}`,
    error: { code, message },
    keepSecrets: kind.canBeRetried ?? false,
  };
}

/** Seconds since a time of the database's clock, which may differ from ours; never negative. */
function secondsSince(time: string): number {
  return Math.max(0, Date.now() - Date.parse(time)) / 1000;
}

function pastDeadline(operation: OperationRow) {
  return fail(
    'deadline_exceeded',
    `It took too long, and was given up while ${doingOf(operation)}.`,
  );
}

/** What its message says after the title, which the message of its end begins with as well. */
const doingOf = ({ message }: OperationRow) => message.replace(/^[^:]*: /, '');

function unknownStep(operation: OperationRow): string {
  return `This version of Berth knows no step ${operation.step} of the operation ${operation.kind}.`;
}
