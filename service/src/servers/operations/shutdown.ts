import { isUnderWay, outcomeOf } from '../../incus/operations.ts';
import { EngineError, isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { fail, next, type StepResult, wait } from '../../operations/define.ts';
import type { FailureCode } from '../../problems/failures.ts';
import { readBeforeStop } from '../../usage/collect/last-reading.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { findInstance, isBusy, stopInstance, untilNextLook } from '../engine/engine.ts';
import { forceAdvice, pausedAdvice } from './force-advice.ts';

/** What an operation keeps between asking a guest to shut down and the guest's doing so. */
export interface ShutdownState {
  /** Incus's operation, and when it was asked for, and what it moved was counted last, in milliseconds. */
  asked: { operation: string; at: number; countedAt?: number };
}

const startingSeconds = 0.2;
const countEveryMilliseconds = 1000;
/** For what is left to do once the guest has had its time. */
const marginSeconds = 3 * 60;

/** Undefined once the engine was seen to have the instance stopped; else how the step ends. */
type UnlessStopped = Promise<StepResult<ShutdownState> | undefined>;

/** Asks the guest to shut down, and leaves the waiting to the step `shutdown`: it may take long. */
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

/** Waits for the guest to do what it was asked for, as long as Incus gives it. */
export async function awaitShutDown(context: ServerStepContext<ShutdownState>): UnlessStopped {
  const { incus, operation, server, settings, signal } = context;
  const found = await findInstance(incus, instanceName(server.uuid), { signal });
  if (!found) return missing;
  if (found.status === 'Stopped') return undefined;
  const graceSeconds = settings.stopTimeoutSeconds;
  const { asked } = operation.state;
  const stopping = await incus.operations.get(asked.operation, { signal });
  // Incus forgets it soon after its end, and when it restarts: then the guest is asked again.
  if (!stopping) {
    return Date.now() - asked.at < graceSeconds * 1000
      ? next('stop')
      : ignored(server.id, graceSeconds);
  }
  if (isUnderWay(stopping)) return await waitAndCount(context);
  return await unlessStopped(context, async () => {
    try {
      outcomeOf(stopping);
      return wait(untilNextLook(operation));
    } catch (error) {
      if (isEngineError(error, 'timeout')) return ignored(server.id, graceSeconds);
      throw error;
    }
  });
}

/** What a guest moves while it shuts down is counted, too: its counters end with it. */
async function waitAndCount(context: ServerStepContext<ShutdownState>) {
  const { operation } = context;
  const { asked } = operation.state;
  const waiting = wait(untilNextLook(operation));
  if (Date.now() - (asked.countedAt ?? asked.at) < countEveryMilliseconds) return waiting;
  await keepUsage(context);
  return { ...waiting, patch: { asked: { ...asked, countedAt: Date.now() } } };
}

/** Cuts the instance's power, whatever its guest does. */
export async function cutPower(context: ServerStepContext<unknown>): UnlessStopped {
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

/** The engine shows it stopped while it carries out the start that this takes the place of. */
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
 * Whatever Incus says of a stop, the instance is the fact: when that has stopped, all is well. An
 * engine out of reach says nothing of the instance.
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

/** What `askToShutDown`, `awaitShutDown` and `cutPower` end with. */
export const shutDownFailures: readonly FailureCode[] = [
  'guest_ignored_shutdown',
  'guest_paused',
  'instance_missing',
];

const missing = fail('instance_missing', 'Its instance no longer exists in the engine.');

const deaf = (serverId: number) => fail('guest_paused', pausedAdvice(serverId));

function ignored(serverId: number, seconds: number): StepResult<never> {
  return fail(
    'guest_ignored_shutdown',
    `The guest did not shut down within ${seconds} seconds, and is left running. ${forceAdvice(serverId)}`,
  );
}

/** The engine's counters vanish with the run; what the last reading missed is read here. */
export async function keepUsage({
  db,
  incus,
  server,
  log,
}: ServerStepContext<unknown>): Promise<void> {
  const read = await readBeforeStop({ db, client: incus, server });
  if (!read.ok) log.warn({ err: read.error }, 'The usage before a stop could not be read.');
}
