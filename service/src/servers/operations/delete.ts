import { releaseAddresses } from '../../address-pools/queries.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, next, type StepResult } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { forceStopInstance, removeInstance, removeRenamedInstances } from '../engine/removal.ts';
import { markServerDeleted, setServerState } from '../worker-queries.ts';
import { type LeftVolume, removeLeftVolume } from './left-volume.ts';
import { keepUsage } from './power/shutdown.ts';

type Context = ServerStepContext<LeftVolume>;
type Result = Promise<StepResult<LeftVolume>>;

/** Removes everything that exists of a server, however far its create came. */
export const deleteOperation = defineServerOperation<LeftVolume>({
  kind: 'delete',
  title: operationTitles.delete,
  deadlineSeconds: 60 * 60,
  first: 'stop',
  failures: ['disk_left'],
  steps: {
    stop: { weight: 2, doing: 'cutting its power', run: stop },
    remove: { weight: 6, doing: 'removing its disk', run: remove },
    release: { weight: 2, doing: 'giving back its addresses', run: release },
  },
  async failed(trx, operation, reason) {
    // It no longer counts as installed, so that the reason is shown until it is deleted again.
    await setServerState(trx, operation.server_id, {
      status: 'error',
      error: reason,
      installed: false,
    });
  },
});

async function stop(context: Context): Result {
  await keepUsage(context);
  return (await forceStopInstance(context)) ?? next('remove');
}

async function remove(context: Context): Result {
  const notYet = (await removeInstance(context)) ?? (await removeRenamedInstances(context));
  return notYet ?? next('release');
}

/**
 * Releases the addresses only after the engine has confirmed that there is no instance of the
 * server, and no volume.
 */
async function release(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  if (await incus.instances.get(name, { signal })) return next('stop');
  const steps = { step: 'release', after: 'remove', again: 'delete the server again' };
  const notYet = await removeLeftVolume(context, steps);
  if (notYet) return notYet;
  return done(lastWords(operation.state), async (trx) => {
    await releaseAddresses(trx, server.id);
    await markServerDeleted(trx, server.id);
  });
}

const lastWords = ({ left }: LeftVolume) =>
  left
    ? `The server was deleted. So was ${left.volume}, which was left without an instance.`
    : 'The server was deleted.';
