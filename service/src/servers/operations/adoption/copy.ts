import type { IncusClient } from '../../../incus/client.ts';
import type { Instance } from '../../../incus/instances.ts';
import { type EngineError, isEngineError } from '../../../incus/transport/errors.ts';
import { instanceName } from '../../../instances/labels.ts';
import { fail, next, type StepResult, wait } from '../../../operations/define.ts';
import { copyFor } from '../../engine/copy.ts';
import {
  copyInstance,
  deleteInstance,
  findInstance,
  isBusy,
  isRunning,
  stopInstance,
} from '../../engine/engine.ts';
import { enlarged } from '../../engine/removal.ts';
import {
  afterSeconds,
  busy,
  type Context,
  copySeconds,
  find,
  maxAttempts,
  missing,
  original,
  type Result,
  whenStopped,
} from './state.ts';

// How an instance of another Incus project is moved to that of the location. Incus itself copies it as well, and then
// removes it, but if it is interrupted, both are there, and nobody knows which of them is whole. Here, the end of the
// copy is committed in between: until then the copy may be removed, from then on the original.

export async function copy(context: Context): Result {
  const { incus, log, operation, server, settings, signal } = context;
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal })) return busy;
  const found = await find(context);
  if (!found) return missing;
  // Somebody has started it again.
  if (found.status !== 'Stopped') return next('stop', { ran: true });
  const left = await findInstance(incus, name, { signal });
  // Committed first: the copy may be whole, and a worker that has lost its lease must not remove it.
  if (left) return next('discard', { leftAt: left.created_at });
  const wanted = copyFor(server, found, settings.installationId);
  const how = { signal, timeoutSeconds: copySeconds };
  try {
    const { outcome } = await copyInstance(incus, wanted, found.location, how);
    // It may have ended in any way.
    if (outcome === 'vanished') return wait(0);
  } catch (error) {
    const isThere =
      isEngineError(error, 'already_exists') && (await findInstance(incus, name, how));
    // Another worker was first.
    if (isThere) return wait(0.3);
    if (!isEngineError(error, 'failed')) throw error;
    const missingProfile = profileOfSnapshot(error);
    if (missingProfile !== undefined) return fail('drift_not_adoptable', missingProfile);
    // The guest is stopped, so it does not wait for long.
    if (operation.attempts < maxAttempts) throw error;
    log.warn({ err: error }, 'An instance could not be copied.');
    const why = `${error.publicMessage} The log of the service says why.`;
    return fail('engine_failed', `The engine could not copy the instance. ${why}`);
  }
  const copied = { madeAt: found.created_at, usedAt: found.last_used_at };
  const patch = { isCopied: true, copied };
  return { outcome: 'next', step: 'remove', patch, deadlineSeconds: afterSeconds };
}

/** Incus copies a snapshot with the names of its profiles, which the other project has to have. */
function profileOfSnapshot({ message }: EngineError): string | undefined {
  const [, profile] = /Requested profile "(.+?)" doesn't exist/.exec(message) ?? [];
  if (profile === undefined) return undefined;
  return (
    `A snapshot of it has the profile ${profile}, which the Incus project of the location does not have. Delete the ` +
    'snapshot, or create a profile of that name there, which may be empty.'
  );
}

/** Removes the copy that an interrupted worker has left: it need not be whole. */
export async function discard(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal })) return busy;
  const left = await findInstance(incus, name, { signal });
  if (left?.created_at !== operation.state.leftAt) return next('copy');
  return await eraseCopy(incus, left, { signal });
}

/** The instance that was copied; null once it was removed, even if another one has its name. */
export async function findOriginal(context: Context): Promise<Instance | null> {
  const { operation, signal } = context;
  const { copied, instance } = operation.state;
  const found = await findInstance(original(context), instance, { signal });
  return found?.created_at === copied.madeAt ? found : null;
}

export async function remove(context: Context): Result {
  const { operation, signal } = context;
  const { copied, instance } = operation.state;
  const incus = original(context);
  const found = await findOriginal(context);
  if (!found) return next('define');
  if (await isBusy(incus, instance, { signal })) return busy;
  // Somebody has used it since it was copied, so the copy is out of date. If it could be started, its removal had not begun.
  if (isRunning(found.status) || found.status === 'Frozen')
    return next('stop', { ran: true, isCopied: false });
  if (found.status !== 'Stopped') return wait(2, 'waiting for the engine to say how it is');
  // Or somebody has deleted the copy.
  const isLast = !(await find(context));
  if (isLast || found.last_used_at !== copied.usedAt)
    return whenStopped(context, { isCopied: false });
  return await erase(incus, instance, { signal });
}

/** Removes the copy after a failure. Undefined if there is none any more. */
export async function removeCopy({ incus, server, signal }: Context) {
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal })) return busy;
  const found = await findInstance(incus, name, { signal });
  return found ? await eraseCopy(incus, found, { signal }) : undefined;
}

type Signal = Pick<Context, 'signal'>;

/** An engine that restarts may have started it. */
async function eraseCopy(incus: IncusClient, { name, status }: Instance, { signal }: Signal) {
  if (status !== 'Stopped') await stopInstance(incus, name, { signal });
  return await erase(incus, name, { signal });
}

/** Removes a stopped instance. The next check confirms that it is gone. */
async function erase(
  incus: IncusClient,
  name: string,
  { signal }: Signal,
): Promise<StepResult<never>> {
  try {
    await deleteInstance(incus, name, { signal });
  } catch (error) {
    if (isEngineError(error, 'no_space')) {
      // Incus writes to the disk that it removes.
      await incus.instances.change(name, enlarged, { signal });
      return wait(1, 'removing a disk, which is full');
    }
    if (!isEngineError(error, 'not_found')) throw error;
  }
  return wait(0);
}

/** What an error says of the original of a copy, which can't be started beside it. */
export async function wordsOfOriginal(context: Context): Promise<string> {
  const { instance, project } = context.operation.state;
  if (project === undefined) return '';
  if (!(await findOriginal(context))) return '';
  return (
    ` ${instance} in the Incus project ${project} could not be removed. Its disk was copied, so delete it there, unless ` +
    'somebody has used it since.'
  );
}
