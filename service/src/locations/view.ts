import type { Location } from '@berth/contract/locations';
import type { LocationRow } from './queries.ts';

/** A row as the API shows it: nothing of how its engine is reached. */
export function locationView(row: LocationRow): Location {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    limits: {
      cpu: { min: row.min_cpu, max: row.max_cpu },
      ram: { min: row.min_ram_mb, max: row.max_ram_mb },
      disk: { min: row.min_disk_gb, max: row.max_disk_gb },
    },
    enabled: row.enabled,
    reachable: row.reachable,
    unreachable_reason: row.unreachable_reason,
    traffic_allowance: row.traffic_allowance,
  };
}
