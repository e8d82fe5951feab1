import type { Location } from '@berth/contract/locations';
import type { ShownLocation } from './queries.ts';

/**
 * What a server of a location may have, in cores, MiB and GiB: as an administrator set it, and no
 * more than its largest node has. The least is never more than the most: where no node has the
 * least, placement says so.
 */
export function limitsOf(row: ShownLocation): Location['limits'] {
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
