import type { Drift } from '@berth/contract/drift';
import type { ShownDrift } from './queries.ts';
import { shownOf } from './sightings.ts';

/** Drift as the API shows it, without differences that only one sweep has seen. */
export function driftView(row: ShownDrift): Drift {
  return {
    id: row.id,
    kind: row.kind,
    location_id: row.location_id,
    location: row.location,
    node: row.node,
    instance: row.instance,
    incus_project: row.incus_project,
    server_id: row.server_id,
    project_id: row.project_id,
    differences: shownOf(row.differences).map(({ path, expected, found, since }) => ({
      ...{ path, expected, found, since },
    })),
    adoptable: adoptableView(row.facts),
    since: row.since,
    forgotten: row.is_forgotten,
  };
}

function adoptableView(facts: ShownDrift['facts']): Drift['adoptable'] {
  if (!facts) return null;
  const { cpu, ramMb: ram, diskGb: disk, addresses: ip_addresses, obstacles } = facts;
  return { cpu, ram, disk, ip_addresses, obstacles };
}
