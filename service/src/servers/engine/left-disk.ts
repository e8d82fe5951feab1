import type { NewInstance } from '../../incus/instances.ts';
import type { StorageVolume } from '../../incus/storage.ts';
import { installationLabel, serverLabel } from '../../instances/labels.ts';
import { machineArchitecture } from '../../operating-systems/catalogue.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { emptyInstance, renameInstance } from './engine.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'server' | 'settings' | 'signal'>;

/**
 * Makes an instance of a server's disk that was left without one, as by a move that was cut short: it has
 * another name, bears the server's label, and is deleted like any other. Incus deletes such a disk with its
 * instance alone, and makes no instance of a name whose disk is there, but for one that is to come from
 * another Incus: of that it makes the record first, and waits. Nothing comes. It refuses to delete it
 * meanwhile, but not to empty and to rename it. Whatever is cut short can be done again: after 30 s
 * Incus removes the record itself. Throws `busy` until then.
 */
export async function adoptLeftDisk(
  { incus, server, settings, signal }: Context,
  disk: StorageVolume,
): Promise<void> {
  const { name, location } = disk;
  const target = location === 'none' ? undefined : location;
  const labels = { [installationLabel]: settings.installationId, [serverLabel]: server.uuid };
  await incus.instances.create(recordOf(server, disk, labels), target, { signal });
  // First: a rename writes to the disk, of which there may be a part, or none.
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
    // No NIC: it is never to have an address.
    devices: { root: { type: 'disk', path: '/', pool: storagePool } },
  };
}
