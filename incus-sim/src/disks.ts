import type { Instance } from './model.ts';
import { refuse } from './refusal.ts';

// An instance whose create was interrupted, as in Incus 6.0.4 with btrfs.

const folderOf = ({ project, name }: Instance) =>
  `/var/lib/incus/containers/${project.name === 'default' ? '' : `${project.name}_`}${name}`;

const noPool = 'Failed getting instance pool: Instance storage pool not found';

/** Its files are on its disk, so they can't be read. */
export function refuseFiles(instance: Instance): void {
  if (instance.disk === 'whole') return;
  if (instance.disk === 'none') refuse(noPool);
  // Which part exists is random in Incus. Here none of the requested files do.
  if (instance.disk === 'partial') refuse('Not Found', 404);
  refuse(`open ${folderOf(instance)}/rootfs: no such file or directory`);
}

/** The attempt leaves a plain directory instead of its disk. */
export function refuseStart(instance: Instance): void {
  if (instance.isEmpty) refuse('Failed to run: /usr/libexec/incus/incusd forkstart: exit status 1');
  if (instance.disk === 'whole') return;
  if (instance.disk === 'none') refuse(noPool, 404);
  if (instance.disk === 'partial') refuse('Failed to run: forkstart: exit status 1');
  instance.disk = 'spoilt';
  const missing = `lstat ${folderOf(instance)}: no such file or directory`;
  refuse(`Failed to handle idmapped storage: Failed expanding symlinks of "": ${missing}`, 404);
}

/** A plain directory can't be removed, however often it is tried. */
export function refuseDelete(instance: Instance): void {
  if (instance.disk !== 'spoilt') return;
  const folder = folderOf(instance);
  refuse(
    `Error deleting storage volume: Failed deleting subvolume "${folder}": Failed to run: btrfs ` +
      `subvolume delete ${folder}: exit status 1 (ERROR: Not a Btrfs subvolume: Invalid argument)`,
  );
}
