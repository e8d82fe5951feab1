import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { pause } from '../lib/pause.ts';
import {
  type Failure,
  fail,
  type OperationKind,
  type OperationSettings,
  progressAt,
  type StepResult,
  sentence,
  wait,
} from './define.ts';
import { type KeptLease, keepLease, type Leased } from './lease.ts';
import {
  type BackOff,
  commitStep,
  type Ending,
  finishOperation,
  type Lease,
  leasedOperation,
  leaseSeconds,
  releaseLease,
  type StepCommit,
} from './lease-queries.ts';
import { dropOutputs } from './output-queries.ts';
import type { OperationRow } from './queries.ts';
import { throttledProgress } from './report.ts';

const letGoAgainMilliseconds = 300;
/** Shorter waits keep the lease: letting go and leasing again would cost more than they last. */
const longestHeldWaitSeconds = 1;
const slowestRetrySeconds = 30;
/** Between two looks at whether the node of a server is back. */
const awaySeconds = 3;

/** Told by the worker that did it. */
export interface OperationObserver {
  /** `seconds` since it was asked for. */
  ended(kind: string, outcome: 'succeeded' | 'failed', seconds: number): void;
  /** A step failed, and will be tried again. */
  retried(kind: string, step: string): void;
  /** Of so many operations, since their project had more outputs than its quota. */
  outputsDropped(count: number): void;
}

/** What executing an operation needs from the service. */
export interface Execution {
  db: Db;
  /** Connections for keeping leases alone: however busy the others are, none is lost by it. */
  leases: Db;
  engine(locationId: number): Promise<IncusClient>;
  settings: OperationSettings;
  log: Logger;
  observer?: OperationObserver;
}

/** Carries a leased operation on from its stored step until it ends, waits long, or is given up. */
export async function executeOperation(
  execution: Execution,
  kind: OperationKind,
  leased: Leased,
  abort: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const lease = keepLease({ ...execution, giveUp: () => abort.abort() }, leased);
  let operation: OperationRow | undefined = leased.operation;
  let backOff: BackOff | undefined;
  try {
    while (operation && lease.isHeld() && !signal.aborted) {
      operation = await advance(execution, kind, operation, { lease, signal });
    }
  } catch (error) {
    backOff = unwritten(execution, operation ?? leased.operation, error);
  } finally {
    try {
      await letGo(execution, lease, backOff);
    } finally {
      await lease.stop();
    }
  }
}

/**
 * Tries for as long as the lease would last while the database is away, so that the next worker need
 * not wait. Throws where the lease could not be released: it then runs out once nothing renews it.
 */
async function letGo({ leases }: Execution, lease: Lease, backOff?: BackOff): Promise<void> {
  const end = performance.now() + leaseSeconds * 1000;
  for (;;) {
    try {
      return await releaseLease(leases, lease, backOff);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > end) throw error;
      await sleep(letGoAgainMilliseconds);
    }
  }
}

interface Held {
  lease: KeptLease;
  signal: AbortSignal;
}

/** Runs one step and commits its result. Undefined: nothing is left to do here for now. */
async function advance(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  { lease, signal }: Held,
): Promise<OperationRow | undefined> {
  if (new Date(operation.deadline_at).getTime() < Date.now()) {
    return await commit(execution, kind, operation, pastDeadline(operation), signal);
  }
  const result = await runUntilDeadline(execution, kind, operation, signal);
  // Whoever comes next begins with what was written before.
  if (!result || !lease.isHeld()) return undefined;
  return await commit(execution, kind, operation, result, signal);
}

/** A step that hangs is cut short at the operation's deadline. */
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
  if (!kind.steps[operation.step]) {
    return fail('unknown_step', unknownStep(operation));
  }
  const progress = throttledProgress(execution, operation, kind);
  try {
    return await runOnSubject(execution, kind, operation, { signal, report: progress.report });
  } catch (error) {
    if (signal.aborted) return undefined;
    return retryOrFail(execution, operation, error);
  } finally {
    await progress.settled();
  }
}

/** Hands the step what it is about. */
async function runOnSubject(
  { db, engine, log, settings }: Execution,
  kind: OperationKind,
  operation: OperationRow,
  given: { signal: AbortSignal; report: (fraction: number, doing?: string) => void },
): Promise<StepResult<unknown> | undefined> {
  const { id, step } = operation;
  if (!kind.isOf(operation)) throw new TypeError(`The operation ${id} is of no ${kind.subject}.`);
  const { about, locationId, away } = await kind.load(db, operation);
  // To ask in vain takes seconds each time, and a place among those that work.
  if (away !== undefined) return wait(awaySeconds, `waiting for ${away}, which does not answer`);
  const incus = await engine(locationId);
  const around = { ...given, db, incus, settings, log: log.child({ operation: id, step }) };
  return await kind.steps[step]?.run({ ...around, ...about, operation });
}

/** What can't get better fails at once; anything else is tried again, ever more slowly. */
function retryOrFail(
  { log, observer }: Execution,
  operation: OperationRow,
  error: unknown,
): StepResult<unknown> {
  log.warn({ err: error, operation: operation.id, step: operation.step }, 'A step failed.');
  const message = publicReason(error);
  if (error instanceof EngineError && !error.retryable) {
    return fail(`engine_${error.code}`, message);
  }
  observer?.retried(operation.kind, operation.step);
  const seconds = secondsUntilRetry(operation);
  // Kept for operators, whom `npm run inspect` shows it.
  const retry = error instanceof EngineError ? error.message : message;
  return { outcome: 'wait', seconds, why: `trying again, for: ${message}`, retry };
}

/** What a step came to could not be written: it is run again, as one that failed. */
function unwritten({ log, observer }: Execution, operation: OperationRow, error: unknown): BackOff {
  const { id, kind, step } = operation;
  log.warn({ err: error, operation: id, step }, 'The result of a step could not be written.');
  observer?.retried(kind, step);
  return { seconds: secondsUntilRetry(operation), reason: publicReason(error) };
}

const secondsUntilRetry = ({ attempts }: OperationRow) =>
  Math.min(0.5 * 2 ** attempts, slowestRetrySeconds);

/** The log has the words of the engine, and whatever else went wrong. */
function publicReason(error: unknown): string {
  return error instanceof EngineError
    ? error.publicMessage
    : 'an internal error, which the log shows';
}

async function commit(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  result: StepResult<unknown>,
  signal: AbortSignal,
): Promise<OperationRow | undefined> {
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
      return await commitWait(execution, kind, operation, result, signal);
    case 'done':
      await end(execution, kind, operation, result);
      return undefined;
    case 'fail':
      return await recover(execution, kind, operation, result);
  }
}

/** A kind that has a recovery comes to it once; with its failure, and any other one, all ends. */
async function recover(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  result: Extract<StepResult<unknown>, { outcome: 'fail' }>,
): Promise<OperationRow | undefined> {
  const { recovery } = kind;
  if (!recovery || operation.step === recovery.step) {
    await end(execution, kind, operation, result);
    return undefined;
  }
  const { code, message } = result;
  return await commitStep(execution.db, operation, {
    ...recovery,
    patch: { failure: { code, message } } satisfies Failure,
    progress: progressAt(kind, recovery.step, 0),
    message: sentence(kind, recovery.step),
  });
}

async function commitWait(
  { db }: Execution,
  kind: OperationKind,
  operation: OperationRow,
  wait: Extract<StepResult<unknown>, { outcome: 'wait' }>,
  signal: AbortSignal,
): Promise<OperationRow | undefined> {
  const isHeld = wait.seconds <= longestHeldWaitSeconds;
  const commit = {
    ...(wait.patch && { patch: wait.patch }),
    ...(wait.commands && { commands: wait.commands }),
    progress: progressAt(kind, operation.step, wait.fraction ?? 0),
    message: sentence(kind, operation.step, wait.why),
    wakeInSeconds: wait.seconds,
    wokenAt: operation.wake_at,
    attempts: wait.retry === undefined ? 0 : operation.attempts + 1,
    lastError: wait.retry ?? null,
  };
  if (!isHeld || !saysNothingNew(operation, commit)) {
    const written = await commitStep(db, operation, commit);
    if (!written || !isHeld) return undefined;
  }
  await pause(wait.seconds * 1000, signal);
  // Another worker may have it by now, and have ended it: to act once more would undo what came after.
  return signal.aborted ? undefined : await leasedOperation(db, operation);
}

/** Some look several times a second: what the row says already is not written again. */
function saysNothingNew(operation: OperationRow, commit: StepCommit): boolean {
  return (
    commit.patch === undefined &&
    commit.commands === undefined &&
    commit.message === operation.message &&
    commit.progress <= operation.progress &&
    commit.attempts === operation.attempts &&
    commit.lastError === operation.last_error
  );
}

async function end(
  execution: Execution,
  kind: OperationKind,
  operation: OperationRow,
  result: Extract<StepResult<unknown>, { outcome: 'done' | 'fail' }>,
): Promise<void> {
  const { db, log, observer } = execution;
  const written = ending(kind, result);
  const isOurs = await db.transaction().execute(async (trx) => {
    if (!(await finishOperation(trx, operation, written))) return false;
    if (result.outcome === 'done') await result.write(trx);
    else if (kind.isOf(operation)) await kind.failed(trx, operation, result.message);
    return true;
  });
  if (!isOurs) return;
  observer?.ended(kind.kind, written.status, secondsSince(operation.created_at));
  log.info(
    { operation: operation.id, kind: kind.kind, outcome: result.outcome },
    'Operation ended.',
  );
  await boundOutputs(execution, operation);
}

/**
 * Outputs come to stay with the end of an operation: this one, or one that it has superseded. Housekeeping
 * drops what this could not.
 */
async function boundOutputs(
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

/** Never negative, though the time is the database's. */
function secondsSince(time: string): number {
  return Math.max(0, Date.now() - Date.parse(time)) / 1000;
}

function pastDeadline(operation: OperationRow) {
  const reason = operation.last_error ?? operation.message;
  return fail(
    'deadline_exceeded',
    `It took too long and was given up. The last that happened: ${reason}`,
  );
}

function unknownStep(operation: OperationRow): string {
  return `This version of Berth knows no step ${operation.step} of the operation ${operation.kind}.`;
}
