import type { StorageVolume } from '../../incus/storage.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { fail, next, type StepResult, wait } from '../../operations/define.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { isBusy } from '../engine/engine.ts';
import { adoptOrphanedDisk } from '../engine/left-disk.ts';
import { removeRenamedInstances } from '../engine/removal.ts';

export interface LeftVolume {
  /** The volume of a disk without an instance, as a text; `since` is in milliseconds. */
  left?: { volume: string; since: number };
}

/**
 * If the engine refuses for this time, it will always refuse. A failed attempt delays the next one by 30 s.
 */
const diskTimeoutMs = 2 * 60_000;
const diskRetrySeconds = 3;

/**
 * Removes a disk of the server without an instance, such as a copy that a move left on another node, by creating an
 * instance for it. Its instance must have been removed. Undefined once there is no such disk. `step` is the step that
 * calls this, `after` the step that removes the instance, and `again` what helps if the engine refuses.
 */
export async function removeLeftVolume(
  context: ServerStepContext<LeftVolume>,
  { step, after, again }: { step: string; after: string; again: string },
): Promise<StepResult<LeftVolume> | undefined> {
  const { incus, operation, server, signal, log } = context;
  const { storagePool, os } = server;
  const wanted = { type: os.type, name: instanceName(server.uuid) };
  const disk = await incus.storage.getVolume(storagePool, wanted, undefined, { signal });
  const { left } = operation.state;
  // Removes an instance that was created for such a disk, whatever the result of that call was.
  if (!disk) return left && (await removeRenamedInstances(context));
  const volume = wordsFor(server, disk);
  // Committed first, so that the next worker checks what happened.
  if (!left) return next(step, { left: { volume, since: Date.now() } });
  if (await isBusy(incus, disk.name, { signal })) return wait(0.3, 'waiting for its disk');
  try {
    await adoptOrphanedDisk(context, disk);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    log.warn({ err: error }, `The engine does not remove ${volume}.`);
    if (Date.now() - left.since > diskTimeoutMs) return diskStays(volume, again);
    const why = `trying again to remove ${volume}`;
    return { outcome: 'wait', seconds: diskRetrySeconds, why, retry: error.message };
  }
  log.warn(`Removing ${volume}, which was left without an instance.`);
  return next(after);
}

function wordsFor(
  { storagePool, node }: ServerStepContext<LeftVolume>['server'],
  left: StorageVolume,
): string {
  const { type, name, location } = left;
  const where = location === 'none' ? node : location;
  return `the volume ${type}/${name} of the storage pool ${storagePool} on the node ${where}`;
}

const diskStays = (volume: string, again: string): StepResult<never> =>
  fail(
    'disk_left',
    `The instance was removed, but the engine refuses to remove ${volume}. The server keeps its addresses. ` +
      'The log of the service has the reason. See "A disk without a server" in docs/operations.md. Then ' +
      `${again}.`,
  );
