import type { Instance } from '../../incus/instances.ts';
import type { WaitOptions } from '../../incus/operations.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, type Failure, fail, next, type StepResult, wait } from '../../operations/define.ts';
import type { OperationRow } from '../../operations/queries.ts';
import { operationTitles } from '../../operations/titles.ts';
import type { FailureCode } from '../../problems/failures.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import {
  findInstance,
  isBusy,
  isRunning,
  migrateInstance,
  startInstance,
} from '../engine/engine.ts';
import { showEngineStatus } from '../truth.ts';
import { setServerMoved } from '../worker-queries.ts';
import { pausedAdvice } from './power/force-advice.ts';
import { askToShutDown, awaitShutDown, forceStop, type ShutdownState } from './power/shutdown.ts';
import { startFailures } from './power/start.ts';

/** The initial state of a move: its target, and the node that the server comes from. */
export interface MoveRequest {
  from: { id: number; name: string };
  to: { id: number; name: string; member: string };
  /** Whether its node is evacuated, so that a restore brings it back. */
  evacuates: boolean;
}

export interface MoveState extends MoveRequest, ShutdownState, Failure {
  /** Whether it was running, and so must run at the end. */
  ran: boolean;
  /** The reason why it could not be migrated live, and had to be stopped. */
  notLive: string;
  /** Whether its guest did not shut down, and was stopped by force. */
  wasCut: boolean;
}

type Context = ServerStepContext<MoveState>;
type Result = Promise<StepResult<MoveState>>;

const migrateSeconds = 6 * 3600;
const startSeconds = 5 * 60;
/** The attempts of a migration, and of what follows a failure, if they fail for a temporary reason. */
const maxAttempts = 5;

/** What a step of a move returns once the instance is on its target. */
type Arrived = Readonly<Extract<StepResult<MoveState>, { outcome: 'next' }>>;

const migrateNext = { outcome: 'next', step: 'migrate', deadlineSeconds: migrateSeconds } as const;
export const busy = wait(0.5, 'waiting for another task of the engine to end');
export const missing = fail('instance_missing', 'Its instance no longer exists in the engine.');

/** The failures of a move, and of an operation with its steps. */
export const moveFailures: readonly FailureCode[] = [
  ...startFailures,
  'guest_paused',
  'migration_failed',
];

/** The engine may be unreachable for as long as an operation may take. */
export const recovery = { step: 'recover', deadlineSeconds: 6 * 3600 };

/**
 * Moves a server to another member of its cluster: live if possible, otherwise it is stopped before
 * and started after. Each step reads where the instance is, since Incus may complete or undo a
 * migration on its own.
 */
export const moveOperation = defineServerOperation<MoveState>({
  kind: 'move',
  title: operationTitles.move,
  deadlineSeconds: 10 * 60,
  first: 'look',
  failures: moveFailures,
  steps: {
    ...stepsToMove('start'),
    start: { weight: 3, doing: 'starting it there', run: start },
    recover: { weight: 0, doing: 'bringing it back to how it was', run: recover },
  },
  recovery,
  failed: showEngineStatus,
});

/** The steps that bring a server to its target, for any operation that moves it. `then` is the step that follows. */
export function stepsToMove(then: string) {
  const arrived: Arrived = { outcome: 'next', step: then, deadlineSeconds: startSeconds };
  return {
    look: {
      weight: 1,
      doing: 'looking where it is',
      run: (context: Context) => look(context, arrived),
    },
    live: {
      weight: 10,
      doing: 'taking it along while it runs',
      run: (context: Context) => live(context, arrived),
    },
    stop: { weight: 1, doing: 'asking it to shut down', run: stop },
    shutdown: { weight: 4, doing: 'waiting for it to shut down', run: shutdown },
    cut: { weight: 1, doing: 'cutting its power', run: cut },
    migrate: {
      weight: 10,
      doing: 'taking its disk along',
      run: (context: Context) => migrate(context, arrived),
    },
  };
}

async function look(context: Context, arrived: Arrived): Result {
  const found = await find(context);
  if (!found) return missing;
  const { status, type, config } = found;
  if (status === 'Frozen') return fail('guest_paused', pausedAdvice(context.server.id));
  const ran = isRunning(status);
  if (!ran && status !== 'Stopped') return wait(2, 'waiting for the engine to say how it is');
  if (isThere(context, found)) return { ...arrived, patch: { ran } };
  if (!ran) return { ...migrateNext, patch: { ran } };
  // Live migration of containers requires CRIU, which is rarely installed.
  const canBeLive = type === 'virtual-machine' && config['migration.stateful'] === 'true';
  return next(canBeLive ? 'live' : 'stop', { ran });
}

/** A virtual machine that can't be migrated live is stopped. */
async function live(context: Context, arrived: Arrived): Result {
  // Checked when no operation is in progress, because the end of one may change it.
  if (await isHeld(context)) return busy;
  const found = await find(context);
  if (!found) return missing;
  if (isThere(context, found)) return { ...arrived };
  if (!isRunning(found.status)) return next('stop');
  try {
    await take(context, { live: true });
    return wait(0.1);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    if (await hasArrived(context)) return { ...arrived };
    context.log.warn({ err: error }, 'A server could not be moved live.');
    return next('stop', { notLive: error.publicMessage });
  }
}

async function stop(context: Context): Result {
  return (await askToShutDown(context)) ?? migrateNext;
}

async function shutdown(context: Context): Result {
  const unlessStopped = await awaitShutDown(context);
  const isDeaf =
    unlessStopped?.outcome === 'fail' && unlessStopped.code === 'guest_ignored_shutdown';
  return isDeaf ? next('cut', { wasCut: true }) : (unlessStopped ?? migrateNext);
}

async function cut(context: Context): Result {
  return (await forceStop(context)) ?? migrateNext;
}

async function migrate(context: Context, arrived: Arrived): Result {
  const { attempts } = context.operation;
  if (await isHeld(context)) return busy;
  const found = await find(context);
  if (!found) return missing;
  if (isThere(context, found)) return { ...arrived };
  if (found.status !== 'Stopped') return next('stop');
  try {
    await take(context, { live: false });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (await hasArrived(context)) return { ...arrived };
    if (attempts < maxAttempts) throw error;
    context.log.warn({ err: error }, 'A server could not be moved.');
    return fail(
      'migration_failed',
      `The engine could not move the server there. ${error.publicMessage}`,
    );
  }
  return wait(0.1);
}

async function start(context: Context): Result {
  const there = await startThere(context);
  return 'outcome' in there ? there : moved(context, there);
}

/** Starts the instance on its target if it ran before. Returns it as it is then. */
export async function startThere(context: Context): Promise<StepResult<MoveState> | Instance> {
  const found = await find(context);
  if (!found) return missing;
  if (!isThere(context, found)) return migrateNext;
  if (!context.operation.state.ran || isRunning(found.status)) return found;
  await startInstance(context, found);
  const after = await find(context);
  return isRunning(after?.status) && after
    ? after
    : fail('not_started', `It is ${after?.status ?? 'gone'} after its start.`);
}

function moved(context: Context, { status }: Instance) {
  const { operation, server } = context;
  const { from, to, evacuates } = operation.state;
  const words = [`The server was moved from ${from.name} to ${to.name}.`, ...detailsOf(context)];
  const state = isRunning(status) ? 'started' : 'stopped';
  const place = { nodeId: to.id, evacuatedFrom: evacuates ? from.id : null };
  return done(words.join(' '), (trx) => setServerMoved(trx, server.id, state, place));
}

/** Sentences about how it was moved. */
export function detailsOf({ operation, settings }: Context): string[] {
  const { wasCut, notLive } = operation.state;
  const { stopTimeoutSeconds: seconds } = settings;
  return [
    ...(notLive ? [`It was stopped for that, since it could not be moved live: ${notLive}`] : []),
    ...(wasCut ? [`Its guest did not shut down within ${seconds} s, so its power was cut.`] : []),
  ];
}

async function recover(context: Context): Result {
  // The guest may still be shutting down.
  if (await isHeld(context)) return busy;
  return await startAgain(context, context.operation.state.failure);
}

/**
 * Starts the instance again if it was running, wherever it is now. The operation then ends with the
 * failure.
 */
export async function startAgain(context: Context, failure: Failure['failure']): Result {
  const { operation } = context;
  const found = await find(context);
  const isToStart = operation.state.ran && found?.status === 'Stopped';
  if (!isToStart) return fail(failure.code, failure.message);
  try {
    await startInstance(context, found);
    return fail(failure.code, failure.message);
  } catch (error) {
    if (!isFinal(error, operation)) throw error;
    context.log.warn({ err: error }, 'A server could not be started after a move that failed.');
    const after = `${failure.message} It could not be started again. ${error.publicMessage}`;
    return fail(failure.code, after);
  }
}

/** Whether a step that follows a failure is not to be run again because of this error. */
export function isFinal(error: unknown, { attempts }: OperationRow): error is EngineError {
  return error instanceof EngineError && !(error.retryable && attempts < maxAttempts);
}

export function find({ incus, server, signal }: Context) {
  return findInstance(incus, instanceName(server.uuid), { signal });
}

export function isHeld({ incus, server, signal }: Context) {
  return isBusy(incus, instanceName(server.uuid), { signal });
}

export function isThere({ operation }: Context, { location }: Instance): boolean {
  return location === operation.state.to.member;
}

/**
 * Whether the instance is already on the target: another worker, or an administrator, was first.
 */
async function hasArrived(context: Context): Promise<boolean> {
  const found = await find(context);
  return found !== null && isThere(context, found);
}

async function take({ incus, operation, server, signal, report }: Context, how: { live: boolean }) {
  const wanted = { ...how, target: operation.state.to.member };
  const onProgress: WaitOptions['onProgress'] = ({ fraction }) => report(fraction ?? 0);
  await migrateInstance(incus, instanceName(server.uuid), wanted, { signal, onProgress });
}
