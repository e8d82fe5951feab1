import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../db/connection.ts';
import type { Reading } from './of-database.ts';
import { briefly, installationFigures, serverFigures } from './queries.ts';

const ofAll = 'Every service of a database shows the same: take the maximum, not the sum.';

/** Read of the database at each scrape, by the names that the query gives them. */
const installation: Record<string, [help: string, ...labels: string[]]> = {
  operations: ['Operations that have not ended.', 'kind', 'state'],
  operations_due: ['Operations that a worker should be at, and none is: the queue.'],
  operations_due_oldest_seconds: ['How long the oldest of these has been due.'],
  servers: ['Servers by what their status is.', 'location', 'status'],
  servers_usage_stale: ['Running servers whose usage was not read for a minute.', 'location'],
  usage_rollup_lag_seconds: [
    'How long the oldest samples wait that those of this step are to be made of.',
    'step',
  ],
  servers_traffic_stale: [
    'Running servers whose traffic was not counted for 10 minutes.',
    'location',
  ],
  servers_traffic_used: [
    "Servers that have used so many percent of this month's traffic allowance.",
    'location',
    'percent',
  ],
  location_reachable: ['1 while its engine answers, else 0.', 'location'],
  location_network_policy_applied: [
    '1 while its network holds servers to what they may reach, else 0.',
    'location',
  ],
  location_ipv6_neighbours_bounded: [
    '1 while only the IPv6 addresses that servers have, and the next free one, can be reached from outside; 0 while all can, because something else uses its network.',
    'location',
  ],
  instances_unknown: [
    'Instances with the label of this installation that are of no server, as after a restore.',
    'location',
  ],
  node_online: ['1 while the node answers, else 0.', 'location', 'node'],
  node_slow: ['1 while the node answers late, else 0.', 'location', 'node'],
  node_addresses_read_timestamp_seconds: [
    "When all of the node's own addresses, which servers do not reach, were last read; 0: never.",
    ...['location', 'node'],
  ],
  node_cores: ['Cores that the node has.', 'location', 'node'],
  node_cores_given: ['Cores that its servers were given; they share them.', 'location', 'node'],
  node_memory_bytes: ['Memory that the node has for servers.', 'location', 'node'],
  node_memory_given_bytes: ['Memory that its servers were given.', 'location', 'node'],
  node_memory_used_bytes: ['Memory of the node that is in use.', 'location', 'node'],
  node_disk_bytes: ["Size of the location's storage pool on the node.", 'location', 'node'],
  node_disk_given_bytes: ['Disk that its servers were given.', 'location', 'node'],
  node_disk_used_bytes: ['Disk of that pool that is in use.', 'location', 'node'],
  address_pool_addresses: [
    'Addresses that an enabled pool has for servers.',
    ...['location', 'pool', 'family'],
  ],
  address_pool_addresses_held: [
    'Addresses of an enabled pool that are held.',
    ...['location', 'pool', 'family'],
  ],
  database_size_bytes: ['Size of the database.'],
  database_export_timestamp_seconds: [
    'When the last export of the database was made by "npm run db"; 0: never.',
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

/** Metrics of each server's usage. */
export function serverGauges(registry: Registry, db: Db): Reading {
  const about = (name: string, help: string) => ({
    name: `berth_server_${name}`,
    help: `${help} ${ofAll}`,
    labelNames: ['id', 'uuid', 'hostname', 'project'],
    registers: [registry],
  });
  const cpu = new Counter(about('cpu_seconds_total', 'Busy time of its cores in this run.'));
  const memory = new Gauge(about('memory_bytes', 'Memory in use, while it runs.'));
  const disk = new Gauge(about('disk_bytes', 'Disk in use.'));
  const received = new Counter(about('network_receive_bytes_total', 'Bytes that came to it.'));
  const sent = new Counter(about('network_transmit_bytes_total', 'Bytes that it sent.'));
  const readAt = new Gauge(
    about('traffic_read_timestamp_seconds', 'When its traffic was last counted.'),
  );
  return {
    async read() {
      const servers = await briefly(db, serverFigures);
      return () => {
        for (const { labels, isRunning, ...use } of servers) {
          cpu.inc(labels, use.cpuSeconds);
          memory.set(labels, isRunning ? use.memoryBytes : 0);
          if (use.diskBytes !== null) disk.set(labels, use.diskBytes);
          received.inc(labels, use.received);
          sent.inc(labels, use.sent);
          if (use.trafficReadAt !== null) readAt.set(labels, use.trafficReadAt);
        }
      };
    },
    clear() {
      for (const metric of [cpu, memory, disk, received, sent, readAt]) metric.reset();
    },
  };
}
