import type { LocationState } from '../../locations/queries.ts';
import { noVirtualMachines } from '../../operating-systems/operating-systems.ts';
import type { OperatingSystemRow } from '../../operating-systems/queries.ts';
import type { FieldError } from '../../problems/problem.ts';

/** Why no server gets the operating system that a request names; undefined if servers can get it. */
export function unusableOs(id: number, os: OperatingSystemRow | undefined): FieldError | undefined {
  if (!os) {
    const detail = `No operating system has the id ${id}. List the operating systems with GET /v1/operating-systems.`;
    return { pointer: '/os_id', detail };
  }
  if (os.type === 'virtual-machine') return { pointer: '/os_id', detail: noVirtualMachines };
  return os.enabled ? undefined : closed('/os_id', `${os.name} ${os.version}`);
}

/** The error for a location or an operating system that is disabled. */
export function closed(pointer: string, name: string): FieldError {
  return { pointer, detail: `${name} takes no new servers. Choose another one that is enabled.` };
}

/** The error if the location does not offer the operating system. */
export function notOffered(
  location: Pick<LocationState, 'name' | 'os_ids'>,
  os: OperatingSystemRow,
): FieldError | undefined {
  if (!location.os_ids || location.os_ids.includes(os.id)) return undefined;
  const detail =
    `${location.name} does not offer ${os.name} ${os.version}. Its operating systems have the ids ` +
    `${location.os_ids.join(', ')}.`;
  return { pointer: '/os_id', detail };
}
