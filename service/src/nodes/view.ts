import type { Node } from '@berth/contract/nodes';
import { modulesToLimit } from '../locations/limit-modules.ts';
import { knownHoles } from './known-holes.ts';
import type { ShownNode } from './queries.ts';

/** A node as the API shows it. */
export function nodeView(row: ShownNode): Node {
  return {
    id: row.id,
    name: row.name,
    location_id: row.location_id,
    location: row.location,
    status: row.state,
    state: row.state,
    status_since: row.shown_since,
    slow_since: row.slow_since,
    cordoned: row.cordoned,
    failure_domain: row.failure_domain,
    incus_version: row.incus_version,
    warnings: [
      ...(row.incus_version === null ? [] : knownHoles(row.incus_version)),
      ...limitWarnings(row),
    ],
    traffic_limits: { incoming: row.limits_incoming, outgoing: row.limits_outgoing },
    capacity: { cpu: row.cpu, ram: row.ram_mb, disk: row.disk_gb },
    allocatable: {
      cpu: Math.floor(row.cpu * row.overcommit_cpu),
      ram: Math.floor(row.ram_mb * row.overcommit_ram),
      disk: Math.floor(row.disk_gb * row.overcommit_disk),
    },
    allocated: {
      cpu: row.allocated_cpu,
      ram: row.allocated_ram_mb,
      disk: row.allocated_disk_gb,
    },
    used: {
      cpu: hundredths(row.cpu_used),
      ram: row.ram_used_mb,
      disk: hundredths(row.disk_used_gb),
    },
    servers: row.servers,
    updated_at: row.updated_at,
  };
}

/** Names the kernel modules that are missing. */
export function limitWarnings({
  limits_incoming,
  limits_outgoing,
}: Pick<ShownNode, 'limits_incoming' | 'limits_outgoing'>): string[] {
  return [
    ...(limits_incoming === false
      ? [`Its kernel cannot limit what comes to servers: it lacks ${modulesToLimit.incoming}.`]
      : []),
    ...(limits_outgoing === false
      ? [`Its kernel cannot limit what servers send: it lacks ${modulesToLimit.outgoing}.`]
      : []),
  ];
}

const hundredths = (value: number) => Math.round(value * 100) / 100;
