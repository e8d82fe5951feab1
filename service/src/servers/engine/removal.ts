import type { Instance } from '../../incus/instances.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, labelsOf, serverLabel } from '../../instances/labels.ts';
import { type StepResult, wait } from '../../operations/define.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { deleteInstance, isBusy, stopInstance, withDiskHeadroom } from './engine.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>;
/** Undefined if it is done, otherwise how long to wait until the next check. */
type UnlessDone = Promise<StepResult<never> | undefined>;

const retryFullDisk = wait(1, 'removing its disk, which is full');
const busy = wait(0.3, 'waiting for another task of the engine to end');

/** Stops all instances of a server by force. */
export async function forceStopInstance(context: Context): UnlessDone {
  const found = await find(context);
  if (found === 'busy') return busy;
  if (found) await cut(context, found);
  return undefined;
}

/** Removes the instance, running or not, with its disk. */
export async function removeInstance(context: Context): UnlessDone {
  const found = await find(context);
  if (found === 'busy') return busy;
  if (!found) return undefined;
  return (await remove(context, found)) ? undefined : retryFullDisk;
}

/**
 * Removes instances of the server with other names, for example after it was renamed by hand: they
 * hold its addresses. The next check confirms that they are gone.
 */
export async function removeRenamedInstances(context: Context): UnlessDone {
  const { incus, server, signal } = context;
  const labelled = await incus.instances.listWith(serverLabel, server.uuid, { signal });
  // They are read again, because they are deleted.
  const findRenamedInstances = labelled.filter(
    (one) => labelsOf(one).server === server.uuid && one.name !== instanceName(server.uuid),
  );
  for (const stray of findRenamedInstances) {
    await remove(context, stray);
  }
  return findRenamedInstances.length > 0 ? busy : undefined;
}

/**
 * Finds the instance of a server. A running one is stopped whatever operation is in progress.
 * Otherwise it waits: an interrupted create or start may still be in progress in the engine, which
 * shows the instance as stopped.
 */
async function find({ incus, server, signal }: Context): Promise<Instance | null | 'busy'> {
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  if (found && found.status !== 'Stopped') return found;
  if (await isBusy(incus, name, { signal })) return 'busy';
  return await incus.instances.get(name, { signal });
}

/**
 * Removes the instance. Incus writes to the disk that it removes, which may fail if it is full,
 * even when the instance is stopped. Returns false in that case; the disk is then enlarged for the
 * next attempt.
 */
async function remove(context: Context, found: Instance): Promise<boolean> {
  const { incus, signal } = context;
  try {
    await cut(context, found);
    await withDiskHeadroom(
      context,
      found,
      async () => await deleteInstance(incus, found.name, { signal }),
    );
  } catch (error) {
    if (isEngineError(error, 'no_space')) {
      await incus.instances.change(found.name, enlarged, { signal }).catch(unlessGone);
      return false;
    }
    unlessGone(error);
  }
  return true;
}

async function cut(context: Context, found: Instance): Promise<void> {
  const { incus, signal } = context;
  if (found.status === 'Stopped') return;
  const stop = async () => await stopInstance(incus, found.name, { signal }).catch(unlessStopped);
  await withDiskHeadroom(context, found, stop);
}

const moreBytes = 16 * 2 ** 20;

/** A larger disk, since the instance is about to be deleted. */
export function enlarged({ devices }: Instance): Pick<Instance, 'devices'> {
  const { root } = devices;
  const bytes = bytesOf(root?.size ?? '');
  if (!root || bytes === undefined) return { devices: {} };
  return { devices: { root: { ...root, size: String(bytes + moreBytes) } } };
}

/** Ignores the error of a full disk, which is handled when the instance is removed. */
function unlessStopped(error: unknown): void {
  if (!isEngineError(error, 'busy', 'not_found', 'no_space')) throw error;
}

function unlessGone(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
