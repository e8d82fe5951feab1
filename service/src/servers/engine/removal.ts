import type { Instance } from '../../incus/instances.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, labelsOf, serverLabel } from '../../instances/labels.ts';
import { type StepResult, wait } from '../../operations/define.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { deleteInstance, isBusy, stopInstance, withRoom } from './engine.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>;
/** Undefined once it is so; else how long to wait before another look. */
type UnlessDone = Promise<StepResult<never> | undefined>;

const tooFull = wait(1, 'removing its disk, which is full');
const busy = wait(0.3, 'waiting for the engine to let go of it');

/** Cuts the power of whatever there is of a server's instance. */
export async function cutInstance(context: Context): UnlessDone {
  const found = await find(context);
  if (found === 'busy') return busy;
  if (found) await cut(context, found);
  return undefined;
}

/** Removes it, running or not, with its disk. */
export async function removeInstance(context: Context): UnlessDone {
  const found = await find(context);
  if (found === 'busy') return busy;
  if (!found) return undefined;
  return (await remove(context, found)) ? undefined : tooFull;
}

/**
 * Removes instances of the server under other names, as when its own was renamed by hand: they hold its
 * addresses. Whether they are gone is seen by another look.
 */
export async function removeStrays(context: Context): UnlessDone {
  const { incus, server, signal } = context;
  const labelled = await incus.instances.listWith(serverLabel, server.uuid, { signal });
  // Looked at again, for they are deleted.
  const strays = labelled.filter(
    (one) => labelsOf(one).server === server.uuid && one.name !== instanceName(server.uuid),
  );
  for (const stray of strays) {
    await remove(context, stray);
  }
  return strays.length > 0 ? busy : undefined;
}

/**
 * One that runs has its power cut whatever goes on in it. Another may be on its way: a create or a
 * start that was interrupted is still carried out by the engine, which shows it as stopped meanwhile.
 */
async function find({ incus, server, signal }: Context): Promise<Instance | null | 'busy'> {
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  if (found && found.status !== 'Stopped') return found;
  if (await isBusy(incus, name, { signal })) return 'busy';
  return await incus.instances.get(name, { signal });
}

/**
 * Incus writes to a disk that it removes, and may fail at that on a full one, also once it is stopped. Answers
 * false where it did: the disk is larger then, for another try.
 */
async function remove(context: Context, found: Instance): Promise<boolean> {
  const { incus, signal } = context;
  try {
    await cut(context, found);
    await withRoom(context, found, async () => await deleteInstance(incus, found.name, { signal }));
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
  await withRoom(context, found, stop);
}

const moreBytes = 16 * 2 ** 20;

/** It is on its way out. */
function enlarged({ devices }: Instance): Pick<Instance, 'devices'> {
  const { root } = devices;
  const bytes = bytesOf(root?.size ?? '');
  if (!root || bytes === undefined) return { devices: {} };
  return { devices: { root: { ...root, size: String(bytes + moreBytes) } } };
}

/** What is left to do to a full disk is done as it is removed. */
function unlessStopped(error: unknown): void {
  if (!isEngineError(error, 'busy', 'not_found', 'no_space')) throw error;
}

function unlessGone(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
