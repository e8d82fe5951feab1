import { releaseAddresses } from '../../address-pools/queries.ts';
import type { StorageVolume } from '../../incus/storage.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { untilNextLook } from '../engine/engine.ts';
import { cutInstance, removeInstance, removeStrays } from '../engine/removal.ts';
import { markServerDeleted, setServerState } from '../worker-queries.ts';
import { keepUsage } from './shutdown.ts';

type Context = ServerStepContext<Record<string, never>>;
type Result = Promise<StepResult<Record<string, never>>>;

/** A disk without an instance may be on its way out; one that is still there by then stays. */
const diskPatienceMs = 2 * 60_000;

/** Removes whatever there is of a server, however far its create came. */
export const deleteOperation = defineServerOperation<Record<string, never>>({
  kind: 'delete',
  title: 'Deleting the server',
  deadlineSeconds: 60 * 60,
  first: 'stop',
  steps: {
    stop: { weight: 2, doing: 'cutting its power', run: stop },
    remove: { weight: 6, doing: 'removing its disk', run: remove },
    release: { weight: 2, doing: 'giving back its addresses', run: release },
  },
  async failed(trx, operation, reason) {
    // No longer counted as installed, so that the reason stays until it is deleted again.
    await setServerState(trx, operation.server_id, {
      status: 'error',
      error: reason,
      installed: false,
    });
  },
});

async function stop(context: Context): Result {
  await keepUsage(context);
  return (await cutInstance(context)) ?? next('remove');
}

async function remove(context: Context): Result {
  const notYet = (await removeInstance(context)) ?? (await removeStrays(context));
  return notYet ?? next('release');
}

/** Addresses go only when the engine confirms that nothing has them: no instance of the server, no volume. */
async function release(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  if (await incus.instances.get(name, { signal })) return next('stop');
  const { storagePool, os } = server;
  const disk = { type: os.type, name };
  const left = await incus.storage.getVolume(storagePool, disk, undefined, { signal });
  if (left) return diskIsLeft(operation, server, left);
  return done('The server was deleted.', async (trx) => {
    await releaseAddresses(trx, server.id);
    await markServerDeleted(trx, server.id);
  });
}

/** Incus removes the disk of an instance with that alone, and not even then one that a move left elsewhere. */
function diskIsLeft(
  operation: Context['operation'],
  { storagePool, node }: Context['server'],
  { type, name, location }: StorageVolume,
): StepResult<never> {
  const where = location === 'none' ? node : location;
  const volume = `the volume ${type}/${name} of the storage pool ${storagePool} on the node ${where}`;
  const waited = Date.now() - Date.parse(operation.step_since);
  if (waited < diskPatienceMs) return wait(untilNextLook(operation), `waiting for ${volume} to go`);
  return fail(
    'disk_left',
    `Its instance is gone, and ${volume} is left, which Incus does not remove by itself. It keeps its ` +
      'addresses. Remove the volume there, as "A disk without a server" in docs/operations.md says, then ' +
      'delete the server again.',
  );
}
