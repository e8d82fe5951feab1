import type { Project } from '@berth/contract/projects';
import type { ProjectRow } from './queries.ts';

/** A project as the API shows it. */
export function projectView(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    unique_names: row.unique_names,
    sizes_only: row.sizes_only,
    quota: {
      servers: row.max_servers,
      cpu: row.max_cpu,
      ram: row.max_ram_mb,
      disk: row.max_disk_gb,
      addresses: row.max_addresses,
      outputs: row.max_outputs_mib,
    },
    created_at: row.created_at,
    deleted_at: row.deleted_at,
  };
}
