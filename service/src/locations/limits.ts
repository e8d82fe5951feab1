import type { Location } from '@berth/contract/locations';
import type { LocationState } from './queries.ts';

/**
 * The minimum and maximum of a server in a location, in cores, MiB and GiB: as set by an
 * administrator, and no more than its largest node has. The minimum never exceeds the maximum; if
 * no node has the minimum, placement says so.
 */
export function limitsOf(row: LocationState): Location['limits'] {
  const { cpu, ram, disk } = row.largestNode;
  return {
    cpu: range(row.min_cpu, row.max_cpu, cpu),
    ram: range(row.min_ram_mb, row.max_ram_mb, ram),
    disk: range(row.min_disk_gb, row.max_disk_gb, disk),
  };
}

function range(min: number, max: number, largest: number | null) {
  return { min, max: Math.max(min, Math.min(max, largest ?? max)) };
}
