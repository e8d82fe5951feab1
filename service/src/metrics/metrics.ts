import type { Logger } from 'pino';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import type { Db } from '../db/connection.ts';
import type { HttpMetrics, MetricsType } from '../http/metrics.ts';
import { readBuild } from '../version/build.ts';
import { certificateGauges, type ReadCertificate } from './certificates.ts';
import { dataDirectoryGauges } from './data-directory.ts';
import { installationGauges } from './figures.ts';
import { type Observers, observers } from './observed.ts';
import { readerOf } from './of-database.ts';
import { type Pools, poolGauges } from './pool.ts';
import { serverMetrics } from './servers.ts';

export interface Metrics extends Observers, HttpMetrics {
  /**
   * Sets how to read the certificate that this service presents, in PEM, if it serves HTTPS itself.
   */
  presents(read: ReadCertificate): void;
  /** Writes the metrics as one text. */
  text(...of: Parameters<HttpMetrics['write']>): Promise<string>;
}

interface MetricsOptions {
  /** Whether to include the usage of each server: six series per server. */
  ofServers: boolean;
  /** How often this service ended because of an unhandled error. */
  faults?: () => number;
  /** The directory whose file system is measured. */
  dataDir?: string;
}

/** All metrics of a process. Other parts of the service call its functions to report values. */
export function createMetrics(
  { db, pools, log }: { db: Db; pools: Pools; log?: Logger },
  { ofServers, faults = () => 0, dataDir }: MetricsOptions,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges with names that are reserved for counters.
  for (const what of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }
  poolGauges(registry, pools);
  new Counter({
    name: 'berth_faults_total',
    help: 'Number of times that this service ended because of an unhandled error, since its data directory was created.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(faults());
    },
  });
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1. The labels are the release of this service, its Git commit, and its newest database migration.',
    labelNames: ['version', 'commit', 'schema'],
    registers: [registry],
    async collect() {
      const { version, commit, schema } = await readBuild();
      this.set({ version, commit: commit ?? '', schema }, 1);
    },
  });
  dataDirectoryGauges(registry, dataDir);
  const certificates = certificateGauges(registry, db);
  const servers = ofServers ? serverMetrics(db) : undefined;
  const readings = [installationGauges(registry, db), certificates.ofDatabase];
  if (servers) readings.push(servers);
  const readDatabase = readerOf(registry, readings, log);
  async function* write(type: MetricsType, { ofDatabase } = { ofDatabase: true }) {
    await readDatabase(ofDatabase);
    // Other requests publish other values while these are written.
    const shownServers = servers?.write(type);
    const text = await inFormat(registry, type).metrics();
    const end = type === 'openMetrics' ? endOfOpenMetrics : '';
    yield text.slice(0, text.length - end.length);
    if (shownServers) yield* shownServers;
    yield end;
  }
  return {
    ...observers(registry),
    presents: certificates.presents,
    write,
    async text(...of) {
      let text = '';
      for await (const part of write(...of)) text += part;
      return text;
    },
  };
}

const formats: Record<MetricsType, RegistryContentType> = {
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
  text: Registry.PROMETHEUS_CONTENT_TYPE,
};

const endOfOpenMetrics = '# EOF\n';

/** Views of the metrics: the library takes `_total` off the names of counters for OpenMetrics. */
function inFormat(registry: Registry, type: MetricsType): Registry<RegistryContentType> {
  const shown = new Registry<RegistryContentType>();
  shown.setContentType(formats[type]);
  for (const metric of registry.getMetricsAsArray()) shown.registerMetric(Object.create(metric));
  return shown;
}
