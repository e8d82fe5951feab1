import { releaseAddresses } from '../addresses/queries.ts';
import {
  defineOperation,
  done,
  next,
  type StepContext,
  type StepResult,
} from '../operations/define.ts';
import { hasVolume } from './engine.ts';
import { instanceName } from './instance.ts';
import { cutInstance, removeInstance, removeStrays, strayInstances } from './removal.ts';
import { keepUsage } from './shutdown.ts';
import { markServerDeleted, setServerState } from './worker-queries.ts';

type Context = StepContext<Record<string, never>>;
type Result = Promise<StepResult<Record<string, never>>>;

/** Removes whatever there is of a server, however far its create came. */
export const deleteOperation = defineOperation<Record<string, never>>({
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
  const unlessRemoved = await removeInstance(context);
  if (unlessRemoved) return unlessRemoved;
  await removeStrays(context);
  return next('release');
}

/** Addresses go only when the engine confirms that nothing has them: no instance of the server, no volume. */
async function release(context: Context): Result {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const left = await incus.instances.get(name, { signal });
  const strays = await strayInstances(context);
  if (
    left ||
    strays.length > 0 ||
    (await hasVolume(incus, { pool: server.storagePool, name }, { signal }))
  ) {
    return next('stop');
  }
  return done('The server was deleted.', async (trx) => {
    await releaseAddresses(trx, server.id);
    await markServerDeleted(trx, server.id);
  });
}
