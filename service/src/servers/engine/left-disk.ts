import type { NewInstance } from '../../incus/instances.ts';
import type { StorageVolume } from '../../incus/storage.ts';
import { installationLabel, serverLabel } from '../../instances/labels.ts';
import { machineArchitecture } from '../../operating-systems/catalogue.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { emptyInstance, renameInstance } from './engine.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'server' | 'settings' | 'signal'>;

/**
 * Creates an instance for a server's disk that has none, for example after an interrupted move. It
 * has another name and the server's label, and is then deleted like any other. Incus deletes such a
 * disk only with its instance, and refuses to create an instance whose disk exists, unless it is to
 * be received from another Incus: then it creates the record first, and waits for data that never
 * comes. Meanwhile it refuses to delete the instance, but not to empty and to rename its disk.
 * Idempotent: Incus itself removes the record after 30 s. Throws `busy` until then.
 */
export async function adoptOrphanedDisk(
  { incus, server, settings, signal }: Context,
  disk: StorageVolume,
): Promise<void> {
  const { name, location } = disk;
  const target = location === 'none' ? undefined : location;
  const labels = { [installationLabel]: settings.installationId, [serverLabel]: server.uuid };
  await incus.instances.create(recordOf(server, disk, labels), target, { signal });
  // This comes first: a rename writes to the disk, which may be incomplete or missing.
  await emptyInstance(incus, name, { signal });
  await renameInstance(incus, name, `${name}-left`, { signal });
}

function recordOf(
  { os, storagePool }: Context['server'],
  { name }: StorageVolume,
  config: NewInstance['config'],
): NewInstance {
  return {
    name,
    type: os.type,
    source: { type: 'migration', mode: 'push' },
    architecture: machineArchitecture(),
    profiles: [],
    config,
    // It has no NIC, because it must never have an address.
    devices: { root: { type: 'disk', path: '/', pool: storagePool } },
  };
}
