import type { Instance } from '../incus/instances.ts';
import { serverUuid } from '../instances/labels.ts';

/** What tells the size of an instance's disk. */
export type Sized = Pick<Instance, 'name' | 'type' | 'project' | 'devices'>;

/** What one server was promised of its pool. */
export interface Promised {
  /** Of its subvolume, below the mount of the pool. */
  path: string;
  bytes: number;
}

/** Undefined of what is no server, is no container, or has no size. */
export function promisedTo({ name, type, project, devices }: Sized): Promised | undefined {
  const bytes = bytesOf(devices.root?.size ?? '');
  if (type !== 'container' || !serverUuid(name) || bytes === undefined) return undefined;
  return { path: volumeOf({ name, project }), bytes };
}

/** The disk of a container, below the mount of its pool: named with its project, but for the default one. */
export const volumeOf = ({ name, project }: Pick<Sized, 'name' | 'project'>) =>
  `containers/${project === 'default' ? name : `${project}_${name}`}`;

const prefixes = ['', 'k', 'm', 'g', 't', 'p', 'e'];

/** Of a size as Incus takes it: `5GiB`, `500MB`, `1024` ("Size units" in its documentation). */
export function bytesOf(size: string): number | undefined {
  const [, number, prefix = '', binary] = /^(\d+)([kmgtpe]?)(i?)b?$/i.exec(size) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (binary ? 1024 : 1000) ** prefixes.indexOf(prefix.toLowerCase());
}
