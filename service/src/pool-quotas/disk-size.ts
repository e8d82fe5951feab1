import type { Instance } from '../incus/instances.ts';
import { serverUuid } from '../instances/labels.ts';

/** The part of an instance that determines the size of its disk. */
export type SizedInstance = Pick<Instance, 'name' | 'type' | 'project' | 'devices'>;

/** The size of one server's disk. */
export interface DiskSize {
  /** The path of its subvolume, relative to the mount of the pool. */
  path: string;
  bytes: number;
}

/** Undefined unless the instance is a server's container with a size. */
export function diskSizeOf({ name, type, project, devices }: SizedInstance): DiskSize | undefined {
  const bytes = bytesOf(devices.root?.size ?? '');
  if (type !== 'container' || !serverUuid(name) || bytes === undefined) return undefined;
  return { path: volumeOf({ name, project }), bytes };
}

/**
 * The volume of a container, relative to the mount of its pool. Its name has the project as a
 * prefix, except in the default project.
 */
export const volumeOf = ({ name, project }: Pick<SizedInstance, 'name' | 'project'>) =>
  `containers/${project === 'default' ? name : `${project}_${name}`}`;

const prefixes = ['', 'k', 'm', 'g', 't', 'p', 'e'];

/**
 * Bytes of a size as Incus writes it: `5GiB`, `500MB`, `1024` ("Size units" in its documentation).
 */
export function bytesOf(size: string): number | undefined {
  const [, number, prefix = '', binary] = /^(\d+)([kmgtpe]?)(i?)b?$/i.exec(size) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (binary ? 1024 : 1000) ** prefixes.indexOf(prefix.toLowerCase());
}
