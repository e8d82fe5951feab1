import { releaseAddresses } from '../../address-pools/queries.ts';
import type { StorageVolume } from '../../incus/storage.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { isBusy } from '../engine/engine.ts';
import { adoptOrphanedDisk } from '../engine/left-disk.ts';
import { forceStopInstance, removeInstance, removeRenamedInstances } from '../engine/removal.ts';
import { markServerDeleted, setServerState } from '../worker-queries.ts';
import { keepUsage } from './shutdown.ts';

interface DeleteState {
  /** The volume of a disk without an instance, as a text; `since` is in milliseconds. */
  left?: { volume: string; since: number };
}

type Context = ServerStepContext<DeleteState>;
type Result = Promise<StepResult<DeleteState>>;

/**
 * If the engine refuses for this time, it will always refuse. A failed attempt delays the next one by 30 s.
 */
const diskTimeoutMs = 2 * 60_000;
const diskRetrySeconds = 3;

/** Removes everything that exists of a server, however far its create came. */
export const deleteOperation = defineServerOperation<DeleteState>({
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
  const { storagePool, os } = server;
  const volume = { type: os.type, name };
  const disk = await incus.storage.getVolume(storagePool, volume, undefined, { signal });
  if (disk) return await removeLeft(context, disk);
  // Removes an instance that was created for such a disk, whatever the result of that call was.
  const notYet = operation.state.left && (await removeRenamedInstances(context));
  if (notYet) return notYet;
  return done(lastWords(operation.state), async (trx) => {
    await releaseAddresses(trx, server.id);
    await markServerDeleted(trx, server.id);
  });
}

const lastWords = ({ left }: DeleteState) =>
  left
    ? `The server was deleted. So was ${left.volume}, which was left without an instance.`
    : 'The server was deleted.';

/**
 * Removes a disk without an instance, such as a copy that a move left on another node, by creating
 * an instance for it.
 */
async function removeLeft(context: Context, disk: StorageVolume): Result {
  const { incus, operation, server, signal, log } = context;
  const volume = wordsFor(server, disk);
  const { left } = operation.state;
  // Committed first, so that the next worker checks what happened.
  if (!left) return next('release', { left: { volume, since: Date.now() } });
  if (await isBusy(incus, disk.name, { signal })) return wait(0.3, 'waiting for its disk');
  try {
    await adoptOrphanedDisk(context, disk);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    log.warn({ err: error }, `The engine does not remove ${volume}.`);
    if (Date.now() - left.since > diskTimeoutMs) return diskStays(volume);
    const why = `trying again to remove ${volume}`;
    return { outcome: 'wait', seconds: diskRetrySeconds, why, retry: error.message };
  }
  log.warn(`Removing ${volume}, which was left without an instance.`);
  return next('remove');
}

function wordsFor({ storagePool, node }: Context['server'], left: StorageVolume): string {
  const { type, name, location } = left;
  const where = location === 'none' ? node : location;
  return `the volume ${type}/${name} of the storage pool ${storagePool} on the node ${where}`;
}

const diskStays = (volume: string): StepResult<never> =>
  fail(
    'disk_left',
    `The instance was removed, but the engine refuses to remove ${volume}. The server keeps its addresses. ` +
      'The log of the service has the reason. See "A disk without a server" in docs/operations.md. Then ' +
      'delete the server again.',
  );
