import type { Location } from '@berth/contract/locations';
import type { ShownLocation } from './queries.ts';

/**
 * What a server of a location may have, in cores, MiB and GiB: as an administrator set it, and never
 * more than its largest node has.
 */
export function limitsOf(row: ShownLocation): Location['limits'] {
  const { cpu, ram, disk } = row.largestNode;
  return {
    cpu: { min: row.min_cpu, max: Math.min(row.max_cpu, cpu ?? row.max_cpu) },
    ram: { min: row.min_ram_mb, max: Math.min(row.max_ram_mb, ram ?? row.max_ram_mb) },
    disk: { min: row.min_disk_gb, max: Math.min(row.max_disk_gb, disk ?? row.max_disk_gb) },
  };
}
