import type { IncusClient } from '../../incus/client.ts';
import type { Instance, NewInstance } from '../../incus/instances.ts';
import {
  isUnderWay,
  type OperationOutcome,
  operationInstances,
  type WaitOptions,
} from '../../incus/operations.ts';
import type { Operation } from '../../incus/transport/api.ts';
import { confine, isToBeConfined } from '../../instances/confinement.ts';
import type { ServerStepContext } from '../define-operation.ts';

const startSeconds = 120;
const deleteSeconds = 300;
const renameSeconds = 60;
const stopSeconds = 30;
const freezeSeconds = 30;
const migrateSeconds = 6 * 3600;

const minPollSeconds = 0.1;
const maxPollSeconds = 5;
/** The delay of a poll relative to the time waited so far. */
const pollShare = 0.05;

/**
 * Seconds until the next poll of the engine. They grow with the time that the step has waited, so
 * that long waits take little capacity.
 */
export function nextPollSeconds({ step_since: since }: { step_since: string }): number {
  const elapsed = (Date.now() - Date.parse(since)) / 1000;
  return Math.min(Math.max(elapsed * pollShare, minPollSeconds), maxPollSeconds);
}

type Signal = { signal: AbortSignal };

/**
 * Waits for the operation that a call started. `vanished` means that only the instance can tell the
 * result.
 */
export async function awaitOperation(
  incus: IncusClient,
  call: Promise<Operation>,
  options: WaitOptions,
): Promise<OperationOutcome> {
  const { id } = await call;
  return await incus.operations.wait(id, options);
}

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>;

/**
 * Starts the instance, with the present confinement and disk limit, even if an earlier version of
 * Berth created it.
 */
export async function startInstance(context: Context, found: Instance): Promise<void> {
  const { incus, signal } = context;
  const { name } = found;
  await withDiskHeadroom(context, found, async () => {
    if (isToBeConfined(found)) await incus.instances.change(name, confine, { signal });
    const call = incus.instances.updateState(name, { action: 'start' }, { signal });
    await awaitOperation(incus, call, { signal, timeoutSeconds: startSeconds });
  });
}

/**
 * Runs a step although the disk of the instance may be full, if Berth manages its quota: see
 * `QuotaGuard`.
 */
export async function withDiskHeadroom<T>(
  { log, server, settings }: Context,
  found: Instance,
  step: () => Promise<T>,
): Promise<T> {
  const guard = await settings.quotaGuardOf(server.locationId);
  // The quota reconciler sets it soon, and counts deviations.
  const report = (err: unknown) => log.warn({ err }, 'The limit of a disk could not be set.');
  return await (guard ? guard.withHeadroom(found, step, report) : step());
}

/**
 * The instance of a server; null only if two readings agree, since a create would create it again.
 */
export async function findInstance(
  incus: IncusClient,
  name: string,
  { signal }: Signal,
): Promise<Instance | null> {
  const find = () => incus.instances.get(name, { signal });
  return (await find()) ?? (await find());
}

/** Freezes the guest, whose memory is kept, or lets it continue. */
export async function setFrozen(
  incus: IncusClient,
  name: string,
  isFrozen: boolean,
  { signal }: Signal,
) {
  const change = { action: isFrozen ? 'freeze' : 'unfreeze' } as const;
  const call = incus.instances.updateState(name, change, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: freezeSeconds });
}

/** Stops the instance by force. */
export async function stopInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.updateState(name, { action: 'stop', force: true }, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: stopSeconds });
}

export async function deleteInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.delete(name, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: deleteSeconds });
}

/** Replaces the disk of the instance by an empty one. */
export async function emptyInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.replaceDisk(name, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: deleteSeconds });
}

export async function renameInstance(
  incus: IncusClient,
  name: string,
  newName: string,
  { signal }: Signal,
) {
  const call = incus.instances.rename(name, newName, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: renameSeconds });
}

/** Copies an instance, on the same member of its cluster. */
export async function copyInstance(
  incus: IncusClient,
  wanted: NewInstance,
  member: string,
  options: Pick<WaitOptions, 'timeoutSeconds'> & Signal,
): Promise<OperationOutcome> {
  options.signal.throwIfAborted();
  // This is not aborted: the engine would continue anyway, and the next worker would not see it.
  const call = incus.instances.create(wanted, member === 'none' ? undefined : member);
  return await awaitOperation(incus, call, options);
}

/** Moves the instance to another member of its cluster. */
export async function migrateInstance(
  incus: IncusClient,
  name: string,
  how: { target: string; live: boolean },
  options: Pick<WaitOptions, 'onProgress'> & Signal,
) {
  options.signal.throwIfAborted();
  // This is not aborted: the engine would continue anyway, and the next worker would not see it.
  const call = incus.instances.migrate(name, how);
  await awaitOperation(incus, call, { ...options, timeoutSeconds: migrateSeconds });
}

/**
 * Whether the engine has an operation in progress on an instance, or creates one of that name.
 * Sessions in it, such as a console, do not count.
 */
export async function isBusy(incus: IncusClient, name: string, { signal }: Signal) {
  const operations = await incus.operations.list({ signal });
  return operations.some(
    (o) => o.class === 'task' && isUnderWay(o) && operationInstances(o).includes(name),
  );
}

/** Whether the engine, or that member of its cluster, is creating any instance. */
export async function createsInstances(
  incus: IncusClient,
  member: string | null,
  { signal }: Signal,
): Promise<boolean> {
  const operations = await incus.operations.listOfAllProjects({ signal });
  return operations
    .filter(({ location }) => member === null || location === member)
    .some((o) => o.description === 'Creating instance' && isUnderWay(o));
}

/** A guest may set its status to `Ready` once it is set up (Incus documentation, "Guest API"). */
export const isRunning = (status: string | undefined) => status === 'Running' || status === 'Ready';
