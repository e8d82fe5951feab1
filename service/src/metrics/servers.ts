import { setImmediate as turn } from 'node:timers/promises';
import type { Db, Queryable } from '../db/connection.ts';
import type { MetricsType } from '../http/metrics.ts';
import { ofAll } from './figures.ts';
import type { Reading } from './of-database.ts';
import { briefly, type ServerFigures, serverFigures } from './queries.ts';

/** Metrics of each server's usage. */
interface ServerMetrics extends Reading {
  /**
   * Writes what was published last, with one metric after the other. There can be very many lines,
   * so the event loop takes a turn after some hundreds of them.
   */
  write(type: MetricsType): AsyncGenerator<string>;
}

const rowsAtOnce = 500;
const linesAtOnce = 500;
/** All parts together may take as long as one query. */
const readMs = 4000;

interface ShownServer extends ServerFigures {
  labels: string;
}

interface ServerMetric {
  /** Without the `_total` of a counter. */
  name: string;
  kind: 'counter' | 'gauge';
  help: string;
  /** Null if the server has no such value. */
  value: (server: ServerFigures) => number | null;
}

const metrics: readonly ServerMetric[] = [
  {
    name: 'cpu_seconds',
    kind: 'counter',
    help: 'Busy time of its cores since the server was started.',
    value: ({ cpuSeconds }) => cpuSeconds,
  },
  {
    name: 'memory_bytes',
    kind: 'gauge',
    help: 'Memory in use; 0 while the server is stopped.',
    value: ({ isRunning, memoryBytes }) => (isRunning ? memoryBytes : 0),
  },
  {
    name: 'disk_bytes',
    kind: 'gauge',
    help: 'Disk space in use.',
    value: ({ diskBytes }) => diskBytes,
  },
  {
    name: 'network_receive_bytes',
    kind: 'counter',
    help: 'Bytes received, as they are counted for billing.',
    value: ({ received }) => received,
  },
  {
    name: 'network_transmit_bytes',
    kind: 'counter',
    help: 'Bytes sent, as they are counted for billing.',
    value: ({ sent }) => sent,
  },
  {
    name: 'traffic_read_timestamp_seconds',
    kind: 'gauge',
    help: 'Time at which its traffic was last counted.',
    value: ({ trafficReadAt }) => trafficReadAt,
  },
];

/**
 * They are not in a registry: that would write all of them at once, which takes a third of a second
 * with 10,000 servers.
 */
export function serverMetrics(db: Db): ServerMetrics {
  let shown: readonly ShownServer[] = [];
  return {
    async read() {
      const servers = await briefly(db, readServers);
      return () => {
        shown = servers;
      };
    },
    clear() {
      shown = [];
    },
    write: (type) => writeServers(shown, type),
  };
}

async function readServers(db: Queryable): Promise<ShownServer[]> {
  const end = performance.now() + readMs;
  const servers: ShownServer[] = [];
  for (let afterId = 0; ; afterId = servers.at(-1)?.id ?? 0) {
    const part = await serverFigures(db, { afterId, limit: rowsAtOnce });
    for (const server of part) servers.push({ ...server, labels: labelsOf(server) });
    if (part.length < rowsAtOnce) return servers;
    if (performance.now() > end) throw new Error('There was no time to read all servers.');
  }
}

async function* writeServers(servers: readonly ShownServer[], type: MetricsType) {
  for (const { name, kind, help, value } of metrics) {
    const sample = `berth_server_${name}${kind === 'counter' ? '_total' : ''}`;
    const family = type === 'openMetrics' ? `berth_server_${name}` : sample;
    yield `# HELP ${family} ${help} ${ofAll}\n# TYPE ${family} ${kind}\n`;
    for (let at = 0; at < servers.length; at += linesAtOnce) {
      const lines = servers.slice(at, at + linesAtOnce).map((server) => {
        const figure = value(server);
        return figure === null ? '' : `${sample}{${server.labels}} ${figure}\n`;
      });
      yield lines.join('');
      await turn();
    }
  }
}

function labelsOf({ id, uuid, hostname, project }: ServerFigures): string {
  const labels = Object.entries({ id, uuid, hostname, project });
  return labels.map(([name, value]) => `${name}="${escaped(String(value))}"`).join(',');
}

/** Escapes a value of a label, as the format of Prometheus and OpenMetrics require. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
