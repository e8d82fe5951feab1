import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../db/connection.ts';
import type { Reading } from './of-database.ts';
import { briefly, installationFigures } from './queries.ts';

/** The end of the description of a metric that is read from the database. */
export const ofAll =
  'Every service of a database returns the same value: use the maximum, not the sum.';

/** Metrics that are read from the database at each scrape, by their names in the query. */
const installation: Record<string, [help: string, ...labels: string[]]> = {
  operations: ['Operations that have not ended.', 'kind', 'state'],
  operations_due: ['Operations that are due but not leased by a worker: the length of the queue.'],
  operations_due_oldest_seconds: ['Time for which the oldest of these operations has been due.'],
  servers: ['Servers by status.', 'location', 'status'],
  servers_usage_stale: ['Running servers whose usage has not been read for a minute.', 'location'],
  usage_rollup_lag_seconds: [
    'Time for which the oldest samples have been waiting to be aggregated into this step.',
    'step',
  ],
  servers_traffic_stale: [
    'Running servers whose traffic has not been counted for 10 minutes.',
    'location',
  ],
  servers_traffic_used: [
    'Servers that have used this percentage of the traffic allowance of this month.',
    'location',
    'percent',
  ],
  location_reachable: ['1 while its Incus answers, otherwise 0.', 'location'],
  location_network_policy_applied: [
    '1 while the rules on what servers can reach are in force in its network, otherwise 0.',
    'location',
  ],
  location_ipv6_neighbours_bounded: [
    '1 while only the IPv6 addresses that servers have, and the next free one, can be reached from outside; 0 while all can, because something else uses its network.',
    'location',
  ],
  instances_unknown: [
    'Instances that have the label of this installation but belong to no server, such as after a restore.',
    'location',
  ],
  drift: [
    'Instances that somebody has changed, removed or added by hand in Incus, by the kind of drift, without those that were forgotten.',
    ...['location', 'kind'],
  ],
  node_online: ['1 while the node answers, otherwise 0.', 'location', 'node'],
  node_slow: ['1 while the node answers slowly, otherwise 0.', 'location', 'node'],
  node_addresses_read_timestamp_seconds: [
    'Time at which all addresses of the node, which servers cannot reach, were last read; 0 if never.',
    ...['location', 'node'],
  ],
  node_cores: ['Cores of the node.', 'location', 'node'],
  node_cores_given: ['Sum of the cores of its servers.', 'location', 'node'],
  node_memory_bytes: ['Memory of the node.', 'location', 'node'],
  node_memory_given_bytes: ['Sum of the memory of its servers.', 'location', 'node'],
  node_memory_used_bytes: [
    'Memory in use on the node, by servers and everything else.',
    'location',
    'node',
  ],
  node_disk_bytes: ['Size of the storage pool of the location on the node.', 'location', 'node'],
  node_disk_given_bytes: ['Sum of the disks of its servers.', 'location', 'node'],
  node_disk_used_bytes: ['Space in use in this storage pool.', 'location', 'node'],
  address_pool_addresses: [
    'Addresses for servers in an enabled address pool.',
    ...['location', 'pool', 'family'],
  ],
  address_pool_addresses_held: [
    'Addresses in use of an enabled address pool: by servers, and by instances that belong to no server.',
    ...['location', 'pool', 'family'],
  ],
  webhook_deliveries_due: [
    'Deliveries to webhooks that are due but not attempted. They wait for receivers while their webhook or project has as many attempts under way as it can have, and otherwise for the service.',
    'waits_for',
  ],
  webhook_deliveries_due_oldest_seconds: [
    'Time for which the oldest of these deliveries has been due.',
    'waits_for',
  ],
  database_size_bytes: ['Size of the database.'],
  database_export_timestamp_seconds: [
    'Time of the last export with "npm run db"; 0 if there was none.',
  ],
};

/** Metrics of the whole installation. */
export function installationGauges(registry: Registry, db: Db): Reading {
  const entries = Object.entries(installation).map(([name, [help, ...labelNames]]) => {
    const about = { name: `berth_${name}`, help: `${help} ${ofAll}`, labelNames };
    return [name, new Gauge({ ...about, registers: [registry] })] as const;
  });
  const gauges = new Map<string, Gauge>(entries);
  return {
    async read() {
      const figures = await briefly(db, installationFigures);
      return () => {
        for (const { name, labels, value } of figures) gauges.get(name)?.set(labels, value);
      };
    },
    clear() {
      for (const [name, gauge] of gauges) {
        const [, ...labelNames] = installation[name] ?? [];
        // A metric without labels would be zero after a reset.
        if (labelNames.length === 0) gauge.remove();
        else gauge.reset();
      }
    },
  };
}
