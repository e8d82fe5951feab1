import type { IncusClient } from '../../incus/client.ts';
import type { Instance } from '../../incus/instances.ts';
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
const migrateSeconds = 6 * 3600;

const soonestLookSeconds = 0.1;
const latestLookSeconds = 5;
/** A look comes this share of the time waited so far too late, on average. */
const lookShare = 0.05;

/**
 * Seconds until the engine is asked again for what a step waits for: the longer that it has
 * lasted, the more rarely, so that who waits for long lets others work.
 */
export function untilNextLook({ step_since: since }: { step_since: string }): number {
  const elapsed = (Date.now() - Date.parse(since)) / 1000;
  return Math.min(Math.max(elapsed * lookShare, soonestLookSeconds), latestLookSeconds);
}

type Signal = { signal: AbortSignal };

/** Waits for the operation that a call starts. `vanished`: the instance itself tells the outcome. */
export async function settle(
  incus: IncusClient,
  call: Promise<Operation>,
  options: WaitOptions,
): Promise<OperationOutcome> {
  const { id } = await call;
  return await incus.operations.wait(id, options);
}

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>;

/**
 * Starts it, confined as servers are today, also one that was made by an earlier version of Berth, and held to
 * the size of its disk.
 */
export async function startInstance(context: Context, found: Instance): Promise<void> {
  const { incus, signal } = context;
  const { name } = found;
  await withRoom(context, found, async () => {
    if (isToBeConfined(found)) await incus.instances.change(name, confine, { signal });
    const call = incus.instances.updateState(name, { action: 'start' }, { signal });
    await settle(incus, call, { signal, timeoutSeconds: startSeconds });
  });
}

/** Does something to an instance although its disk may be full, where that is up to us: see `QuotaGuard`. */
export async function withRoom(
  { log, server, settings }: Context,
  found: Instance,
  step: () => Promise<void>,
): Promise<void> {
  const guard = await settings.quotaGuardOf(server.locationId);
  // What keeps watch of the pool sets it soon, and counts what is amiss.
  const report = (err: unknown) => log.warn({ err }, 'The limit of a disk could not be set.');
  await (guard ? guard.withHeadroom(found, step, report) : step());
}

/**
 * A server's instance; null only when two readings agree that there is none, since a create would
 * make it anew.
 */
export async function findInstance(
  incus: IncusClient,
  name: string,
  { signal }: Signal,
): Promise<Instance | null> {
  const found = await incus.instances.get(name, { signal });
  if (found) return found;
  const listed = await incus.instances.list({ signal });
  return listed.find((instance) => instance.name === name) ?? null;
}

/** Cuts its power. */
export async function stopInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.updateState(name, { action: 'stop', force: true }, { signal });
  await settle(incus, call, { signal, timeoutSeconds: stopSeconds });
}

export async function deleteInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.delete(name, { signal });
  await settle(incus, call, { signal, timeoutSeconds: deleteSeconds });
}

/** Deletes its disk, and makes an empty one. */
export async function emptyInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.empty(name, { signal });
  await settle(incus, call, { signal, timeoutSeconds: deleteSeconds });
}

export async function renameInstance(
  incus: IncusClient,
  name: string,
  newName: string,
  { signal }: Signal,
) {
  const call = incus.instances.rename(name, newName, { signal });
  await settle(incus, call, { signal, timeoutSeconds: renameSeconds });
}

/** Takes it to another member of its cluster. */
export async function migrateInstance(
  incus: IncusClient,
  name: string,
  how: { target: string; live: boolean },
  options: Pick<WaitOptions, 'onProgress'> & Signal,
) {
  options.signal.throwIfAborted();
  // Not to be aborted: the engine would go on all the same, unseen by who comes next.
  const call = incus.instances.migrate(name, how);
  await settle(incus, call, { ...options, timeoutSeconds: migrateSeconds });
}

/**
 * Whether the engine still works on an instance, or on making one of that name. Sessions in it, such
 * as somebody's console, are no work.
 */
export async function isBusy(incus: IncusClient, name: string, { signal }: Signal) {
  const operations = await incus.operations.list({ signal });
  return operations.some(
    (o) => o.class === 'task' && isUnderWay(o) && operationInstances(o).includes(name),
  );
}

/** Whether the engine, or that member of its cluster, makes an instance, for whomever. */
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

/** `Ready` is what a guest may call itself once it is set up (Incus documentation, "Guest API"). */
export const isRunning = (status: string | undefined) => status === 'Running' || status === 'Ready';
