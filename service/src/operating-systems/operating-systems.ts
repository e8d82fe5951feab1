import type {
  OperatingSystemCreate,
  OperatingSystemUpdate,
} from '@berth/contract/operating-systems';
import type { Trx } from '../db/connection.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { machineArchitecture } from './catalogue.ts';
import { isImageServerAllowed, notAnImageServer } from './image-servers.ts';
import {
  findOperatingSystem,
  insertOperatingSystem,
  type OperatingSystemRow,
  updateOperatingSystem,
} from './queries.ts';

export function operatingSystemNotFound(id: number | string): Problem {
  return new Problem('operating_system_not_found', `No operating system has the id ${id}.`);
}

/** Adds an operating system to the catalogue. Its image is downloaded when a server first needs it. */
export async function createOperatingSystem(
  trx: Trx,
  { minimum, enabled = true, ...body }: OperatingSystemCreate,
  imageServers: readonly string[],
): Promise<OperatingSystemRow> {
  const errors = unusable(body, imageServers, { type: '/type', source: '/source/server' });
  if (errors.length > 0) throw invalidFields(errors);
  const row = await insertOperatingSystem(trx, {
    ...body,
    enabled,
    architecture: machineArchitecture(),
    minRamMb: minimum.ram,
    minDiskGb: minimum.disk,
  });
  if (row) return row;
  throw new Problem('name_taken', `Another operating system has the slug ${body.slug}.`);
}

/** Changes the minimum size of new servers, and whether there can be any. */
export async function changeOperatingSystem(
  trx: Trx,
  id: number,
  { minimum, enabled }: OperatingSystemUpdate,
  imageServers: readonly string[],
): Promise<OperatingSystemRow> {
  const now = await findOperatingSystem(trx, id);
  if (!now) throw operatingSystemNotFound(id);
  if (enabled) {
    const errors = unusable(now, imageServers, { type: '/enabled', source: '/enabled' });
    if (errors.length > 0) throw invalidFields(errors);
  }
  return await updateOperatingSystem(trx, id, {
    min_ram_mb: minimum?.ram ?? now.min_ram_mb,
    min_disk_gb: minimum?.disk ?? now.min_disk_gb,
    enabled: enabled ?? now.enabled,
  });
}

export const noVirtualMachines =
  'Berth cannot create virtual machines yet. Choose an operating system of the type container.';

/** The reasons why no server could be created with it, as errors of the fields. */
function unusable(
  { type, source }: Pick<OperatingSystemRow, 'type' | 'source'>,
  imageServers: readonly string[],
  pointers: { type: string; source: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if (type === 'virtual-machine')
    errors.push({ pointer: pointers.type, detail: noVirtualMachines });
  if ('server' in source && !isImageServerAllowed(source.server, imageServers)) {
    errors.push({ pointer: pointers.source, detail: notAnImageServer(source.server) });
  }
  return errors;
}
