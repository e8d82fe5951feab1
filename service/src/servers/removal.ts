import { isEngineError } from '../incus/errors.ts';
import type { Instance } from '../incus/instances.ts';
import { type StepContext, type StepResult, wait } from '../operations/define.ts';
import { deleteInstance, isBusy, stopInstance } from './engine.ts';
import { instanceName, labelsOf, serverLabel } from './instance.ts';

type Context = Pick<StepContext<unknown>, 'incus' | 'server' | 'signal'>;
/** Undefined once it is so; else how long to wait before another look. */
type UnlessDone = Promise<StepResult<never> | undefined>;

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
  await cut(context, found);
  const { incus, signal } = context;
  await deleteInstance(incus, found.name, { signal }).catch(unlessGone);
  return undefined;
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
    await cut(context, stray);
    await deleteInstance(incus, stray.name, { signal }).catch(unlessGone);
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

async function cut({ incus, signal }: Context, { name, status }: Instance): Promise<void> {
  if (status !== 'Stopped') await stopInstance(incus, name, { signal }).catch(unlessStopped);
}

function unlessStopped(error: unknown): void {
  if (!isEngineError(error, 'busy', 'not_found')) throw error;
}

function unlessGone(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
