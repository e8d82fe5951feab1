import { isUnderWay, outcomeOf } from '../../../incus/operations.ts';
import { EngineError, isEngineError } from '../../../incus/transport/errors.ts';
import { instanceName } from '../../../instances/labels.ts';
import { fail, next, type StepResult, wait } from '../../../operations/define.ts';
import type { FailureCode } from '../../../problems/failures.ts';
import { readBeforeStop } from '../../../usage/collect/last-reading.ts';
import type { ServerStepContext } from '../../define-operation.ts';
import { findInstance, isBusy, nextPollSeconds, stopInstance } from '../../engine/engine.ts';
import { forceAdvice, pausedAdvice } from './force-advice.ts';

/** The state between the request to the guest and its shutdown. */
export interface ShutdownState {
  /**
   * The operation of Incus, the time of the request, and when traffic was last counted, in
   * milliseconds.
   */
  asked: { operation: string; at: number; countedAt?: number };
}

const startingSeconds = 0.2;
const countEveryMilliseconds = 900;
/** Incus waits for whole seconds. */
const maxFollowedSeconds = 1;
/** The time for the steps after the time of the guest is over. */
const marginSeconds = 3 * 60;

/** Undefined once the engine shows the instance as stopped, otherwise the result of the step. */
type UnlessStopped = Promise<StepResult<ShutdownState> | undefined>;

/** Asks the guest to shut down. The step `shutdown` waits for it, since that may take long. */
export async function askToShutDown(context: ServerStepContext<ShutdownState>): UnlessStopped {
  const { incus, server, settings, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return missing;
  if (found.status === 'Stopped') return await unlessStarting(context);
  if (found.status === 'Frozen') return deaf(server.id);
  await keepUsage(context);
  const graceSeconds = settings.stopTimeoutSeconds;
  const change = { action: 'stop', force: false, graceSeconds } as const;
  return await unlessStopped(context, async () => {
    const { id: operation } = await incus.instances.updateState(name, change, { signal });
    const patch = { asked: { operation, at: Date.now() } };
    const deadlineSeconds = graceSeconds + marginSeconds;
    return { outcome: 'next', step: 'shutdown', patch, deadlineSeconds };
  });
}

/** Waits until the guest has shut down, or Incus gives up. */
export async function awaitShutDown(context: ServerStepContext<ShutdownState>): UnlessStopped {
  const { incus, operation, server, settings, signal } = context;
  const found = await findInstance(incus, instanceName(server.uuid), { signal });
  if (!found) return missing;
  if (found.status === 'Stopped') return undefined;
  const graceSeconds = settings.stopTimeoutSeconds;
  const { asked } = operation.state;
  const stopping = await incus.operations.get(asked.operation, { signal });
  // Incus forgets the operation soon after its end, and when it restarts. The guest is then asked
  // again.
  if (!stopping) {
    return Date.now() - asked.at < graceSeconds * 1000
      ? next('stop')
      : guestDidNotShutDown(server.id, graceSeconds);
  }
  if (isUnderWay(stopping)) return await countOrWait(context);
  return await unlessStopped(context, async () => {
    try {
      outcomeOf(stopping);
      return wait(nextPollSeconds(operation));
    } catch (error) {
      if (isEngineError(error, 'timeout')) return guestDidNotShutDown(server.id, graceSeconds);
      throw error;
    }
  });
}

/** Counts the traffic once a second, because the counters end with the run, and otherwise waits. */
async function countOrWait(
  context: ServerStepContext<ShutdownState>,
): Promise<StepResult<ShutdownState>> {
  const { asked } = context.operation.state;
  if (Date.now() - (asked.countedAt ?? asked.at) < countEveryMilliseconds) {
    return wait(await untilStopped(context));
  }
  await keepUsage(context);
  return { outcome: 'wait', seconds: 0, patch: { asked: { ...asked, countedAt: Date.now() } } };
}

/**
 * Waits until Incus has ended the stop, for about a second at most. Returns how many seconds to wait
 * until the next look, which finds the result.
 */
async function untilStopped({
  incus,
  operation,
  signal,
}: ServerStepContext<ShutdownState>): Promise<number> {
  const seconds = nextPollSeconds(operation);
  // A guest that takes long frees its worker.
  if (seconds > maxFollowedSeconds) return seconds;
  try {
    await incus.operations.wait(operation.state.asked.operation, {
      signal,
      timeoutSeconds: maxFollowedSeconds,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    // It may have been refused at once, and again.
    if (error.code !== 'timeout') return seconds;
  }
  return 0;
}

/** Stops the instance by force. */
export async function forceStop(context: ServerStepContext<unknown>): UnlessStopped {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return missing;
  if (found.status === 'Stopped') return await unlessStarting(context);
  await keepUsage(context);
  return await unlessStopped(context, async () => {
    await stopInstance(incus, name, { signal });
    throw new EngineError('failed', 'The engine stopped it, but shows it running.');
  });
}

/** The engine may show it as stopped while it still carries out the start that was superseded. */
async function unlessStarting({
  incus,
  server,
  signal,
}: ServerStepContext<unknown>): UnlessStopped {
  const starting = await isBusy(incus, instanceName(server.uuid), { signal });
  return starting
    ? wait(startingSeconds, 'waiting for another task of the engine to end')
    : undefined;
}

/**
 * Ignores an error of a stop if the instance is stopped, because only its status counts. If the engine is unreachable,
 * the status is unknown, and the error is thrown.
 */
async function unlessStopped(
  { incus, server, signal }: ServerStepContext<unknown>,
  stop: () => Promise<StepResult<ShutdownState>>,
): UnlessStopped {
  try {
    return await stop();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    const after = await incus.instances.get(instanceName(server.uuid), { signal });
    if (after?.status === 'Stopped') return undefined;
    throw error;
  }
}

/** The errors of `askToShutDown`, `awaitShutDown` and `forceStop`. */
export const shutDownFailures: readonly FailureCode[] = [
  'guest_ignored_shutdown',
  'guest_paused',
  'instance_missing',
];

const missing = fail('instance_missing', 'Its instance no longer exists in the engine.');

const deaf = (serverId: number) => fail('guest_paused', pausedAdvice(serverId));

function guestDidNotShutDown(serverId: number, seconds: number): StepResult<never> {
  return fail(
    'guest_ignored_shutdown',
    `The guest did not shut down within ${seconds} seconds, and is left running. ${forceAdvice(serverId)}`,
  );
}

/** Reads the counters a last time, because they end with the run. */
export async function keepUsage({
  db,
  incus,
  server,
  log,
}: ServerStepContext<unknown>): Promise<void> {
  const read = await readBeforeStop({ db, client: incus, server });
  if (!read.ok) log.warn({ err: read.error }, 'The usage before a stop could not be read.');
}
