import { isEngineError } from '../../../incus/transport/errors.ts';
import { instanceName } from '../../../instances/labels.ts';
import { fail, next, wait } from '../../../operations/define.ts';
import { copyFor, templateKey } from '../../engine/copy.ts';
import {
  copyInstance,
  deleteInstance,
  findInstance,
  isBusy,
  isRunning,
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
    // The guest is stopped, so it does not wait for long.
    if (!isEngineError(error, 'failed') || operation.attempts < maxAttempts) throw error;
    log.warn({ err: error }, 'An instance could not be copied.');
    return fail('engine_failed', `The engine could not copy the instance. ${error.publicMessage}`);
  }
  const template = found.config[templateKey] ?? '';
  const patch = { isCopied: true, usedAt: found.last_used_at, template };
  return { outcome: 'next', step: 'remove', patch, deadlineSeconds: afterSeconds };
}

/** Removes the copy that an interrupted worker has left: it need not be whole. */
export async function discard(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal })) return busy;
  const left = await findInstance(incus, name, { signal });
  if (left?.created_at !== operation.state.leftAt) return next('copy');
  await deleteInstance(incus, name, { signal });
  return next('copy');
}

export async function remove(context: Context): Result {
  const { operation, signal } = context;
  const { instance, usedAt } = operation.state;
  const incus = original(context);
  const found = await findInstance(incus, instance, { signal });
  if (!found) return next('define');
  if (await isBusy(incus, instance, { signal })) return busy;
  // Somebody has used it since it was copied, so the copy is out of date. If it could be started, its removal had not begun.
  if (isRunning(found.status) || found.status === 'Frozen')
    return next('stop', { ran: true, isCopied: false });
  if (found.status !== 'Stopped') return wait(2, 'waiting for the engine to say how it is');
  if (found.last_used_at !== usedAt) return whenStopped(context, { isCopied: false });
  try {
    await deleteInstance(incus, instance, { signal });
    return wait(0);
  } catch (error) {
    if (!isEngineError(error, 'no_space')) throw error;
    // Incus writes to the disk that it removes.
    await incus.instances.change(instance, enlarged, { signal });
    return wait(1, 'removing its old disk, which is full');
  }
}

/** Removes the copy after a failure. Undefined if there is none any more. */
export async function removeCopy({ incus, server, signal }: Context) {
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal })) return busy;
  if (!(await findInstance(incus, name, { signal }))) return undefined;
  await deleteInstance(incus, name, { signal });
  return wait(0);
}

/** What an error says of the original of a copy, which can't be started beside it. */
export async function wordsOfOriginal(context: Context): Promise<string> {
  const { instance, project } = context.operation.state;
  if (project === undefined) return '';
  const found = await findInstance(original(context), instance, context);
  if (!found) return '';
  return (
    ` ${instance} in the Incus project ${project} could not be removed. Its disk was copied, so delete it there, unless ` +
    'somebody has used it since.'
  );
}
