import type { OperatingSystem } from '@berth/contract/operating-systems';
import type { OperatingSystemRow } from './queries.ts';

/** An operating system as the API shows it. */
export function operatingSystemView(row: OperatingSystemRow): OperatingSystem {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    version: row.version,
    type: row.type,
    architecture: row.architecture,
    minimum: { ram: row.min_ram_mb, disk: row.min_disk_gb },
    enabled: row.enabled,
  };
}
