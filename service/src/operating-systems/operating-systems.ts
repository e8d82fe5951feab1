import type {
  OperatingSystemCreate,
  OperatingSystemUpdate,
} from '@berth/contract/operating-systems';
import type { Trx } from '../db/connection.ts';
import { Problem } from '../problem.ts';
import { machineArchitecture } from './catalogue.ts';
import {
  findOperatingSystem,
  insertOperatingSystem,
  type OperatingSystemRow,
  updateOperatingSystem,
} from './queries.ts';

export function operatingSystemNotFound(id: number | string): Problem {
  return new Problem('operating_system_not_found', `No operating system has the id ${id}.`);
}

/** Adds one to the catalogue. Its image is got when a server first needs it. */
export async function createOperatingSystem(
  trx: Trx,
  { minimum, enabled = true, ...body }: OperatingSystemCreate,
): Promise<OperatingSystemRow> {
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

/** Changes what new servers need for it, and whether there may be any. */
export async function changeOperatingSystem(
  trx: Trx,
  id: number,
  { minimum, enabled }: OperatingSystemUpdate,
): Promise<OperatingSystemRow> {
  const now = await findOperatingSystem(trx, id);
  if (!now) throw operatingSystemNotFound(id);
  return await updateOperatingSystem(trx, id, {
    min_ram_mb: minimum?.ram ?? now.min_ram_mb,
    min_disk_gb: minimum?.disk ?? now.min_disk_gb,
    enabled: enabled ?? now.enabled,
  });
}
