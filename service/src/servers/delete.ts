import { releaseAddresses } from '../addresses/queries.ts';
import { isEngineError } from '../incus/errors.ts';
import {
  defineOperation,
  done,
  next,
  type StepContext,
  type StepResult,
  wait,
} from '../operations/define.ts';
import { deleteInstance, hasVolume, isBusy, stopInstance } from './engine.ts';
import { instanceName } from './instance.ts';
import { markServerDeleted, setServerState } from './queries.ts';

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

async function stop({ incus, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  // What an interrupted create asked of the engine may still be on its way to becoming an instance.
  if (await isBusy(incus, name, { signal }))
    return wait(0.3, 'waiting for the engine to let go of it');
  const found = await incus.instances.get(name, { signal });
  if (found && found.status !== 'Stopped') {
    await stopInstance(incus, name, { signal }).catch(unlessStopped);
  }
  return next('remove');
}

async function remove({ incus, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  if (await isBusy(incus, name, { signal }))
    return wait(0.3, 'waiting for the engine to let go of it');
  const found = await incus.instances.get(name, { signal });
  if (!found) return next('release');
  if (found.status !== 'Stopped') return next('stop');
  await deleteInstance(incus, name, { signal }).catch(unlessGone);
  return next('release');
}

/** Addresses go only when the engine confirms that the instance and its volume are gone. */
async function release({ incus, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const left = await incus.instances.get(name, { signal });
  if (left || (await hasVolume(incus, { pool: server.storagePool, name }, { signal }))) {
    return next('stop');
  }
  return done('The server was deleted.', async (trx) => {
    await releaseAddresses(trx, server.id);
    await markServerDeleted(trx, server.id);
  });
}

function unlessStopped(error: unknown): void {
  if (!isEngineError(error, 'busy') && !isEngineError(error, 'not_found')) throw error;
}

function unlessGone(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
