import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Db } from './db/connection.ts';
import type { DiskFullMonitor } from './db/errors.ts';
import { createLeader } from './db/locks/leader.ts';
import type { NotificationListener } from './db/notifications.ts';
import type { Connections } from './db/open.ts';
import { installationId } from './db/queries.ts';
import { embeddedLog, type Housekeeping, housekeeping } from './housekeeping.ts';
import { imageDirectoriesOf } from './images/images.ts';
import type { Keyring } from './keys/keyring.ts';
import type { UnreadableSecrets } from './keys/unreadable.ts';
import type { Outage } from './lib/outage.ts';
import type { Engines } from './locations/engines.ts';
import { rememberLocations } from './locations/remembered.ts';
import type { Metrics } from './metrics/metrics.ts';
import { apiFinder } from './network-policy/api-addresses.ts';
import { operationKinds } from './operation-kinds.ts';
import { dropLeases } from './operations/lease-queries.ts';
import { startOperationRunner } from './operations/runner/runner.ts';
import { createPoolQuotas } from './pool-quotas/pool-quotas.ts';
import type { Reconciler } from './reconciler-runtime/define.ts';
import { type Publishing, publishStatuses } from './reconciler-runtime/publish.ts';
import { startReconcilers } from './reconciler-runtime/runner.ts';
import { recordStatuses } from './reconciler-runtime/status.ts';
import { watchLocations } from './reconcilers/location/locations.ts';
import { trustedClock } from './retention/retention.ts';
import { startCreateQueue } from './servers/create-queue.ts';
import { usageHistory } from './usage/history/upkeep.ts';
import { startDeliveries } from './webhooks/sending/deliver.ts';

/** The number of concurrent operations, most of which wait for the engine. */
const operationsAtOnce = 64;
const movesAtOnce = 4;

/** The shared parts of the service. */
export interface Foundation {
  config: Config;
  db: Db;
  /** Connections for background work. */
  workers: Connections;
  /** Connections for renewing the leases of operations. */
  leases: Connections;
  /** Connections for health checks. */
  health: Connections;
  notifications: NotificationListener;
  refusedRoom: DiskFullMonitor;
  databaseOutage: Outage;
  engines: Engines;
  secretKey: Keyring;
  /** The encrypted values that no key of the file can decrypt. */
  unreadable: UnreadableSecrets;
  metrics: Metrics;
  log: Logger;
  /** Aborted when the service gets the signal to stop. From then on it reports that it is not ready. */
  draining: AbortSignal;
  /** Aborted when the service stops, to end all waits. */
  stopping: AbortSignal;
}

export interface Workers {
  stop(): Promise<void>;
}

/** Reconcilers that are not about a location. */
const reconcilers: Reconciler<Housekeeping & Publishing>[] = [
  ...housekeeping,
  usageHistory,
  publishStatuses,
];

/** Starts the background work: operations, the comparison of servers with Incus, and metering. */
export async function startWorkers(foundation: Foundation): Promise<Workers> {
  const { config, databaseOutage, engines, log, metrics, notifications, secretKey } = foundation;
  const { db, pool } = foundation.workers;
  const stopping = new AbortController();
  const runs = recordStatuses(metrics.reconcilers);
  const imageDirectories = imageDirectoriesOf(config);
  if (!config.databaseUrl) await dropLeases(db);
  const ours = await installationId(db);
  const poolQuotas = createPoolQuotas(ours);
  const locationOf = rememberLocations(db, notifications);
  const runner = startOperationRunner({
    db,
    notifications,
    kinds: operationKinds,
    concurrency: operationsAtOnce,
    log,
    runs,
    execution: {
      db,
      leases: foundation.leases.db,
      log,
      observer: metrics.operations,
      engine: async (id) => engines.of(await locationOf(id)),
      settings: {
        installationId: ours,
        secretKey,
        stopTimeoutSeconds: config.stopTimeoutSeconds,
        movesAtOnce,
        imageDirectories,
        imageServers: config.imageServers,
        quotaGuardOf: async (id) => {
          const location = await locationOf(id);
          return await poolQuotas.of(location, engines.of(location));
        },
      },
    },
  });
  const creates = startCreateQueue(db, notifications, log, runs);
  const leader = createLeader({ pool, log, databaseOutage });
  const { imageServers, protectedAddresses } = config;
  const findApi = apiFinder(config);
  const deliveries = startDeliveries({
    ...{ db, notifications, secretKey, log, findApi, protectedAddresses, runs },
    targets: config.webhooks,
    observer: metrics.webhooks,
  });
  const watching = {
    ...foundation,
    db,
    leader,
    imageDirectories,
    imageServers,
    findApi,
    protectedAddresses,
    poolQuotas,
    observer: metrics.watch,
    runs,
  };
  const watchers = await watchLocations(watching, stopping.signal);
  const { statuses } = runs;
  const { dataDir } = config;
  const subject = {
    db,
    log,
    observer: metrics.records,
    trusted: trustedClock(),
    statuses,
    dataDir,
  };
  const upkeep = startReconcilers({
    ...{ subject, signal: stopping.signal, log, observer: runs },
    reconcilers: [
      ...reconcilers,
      foundation.unreadable.reconciler,
      ...(config.databaseUrl ? [] : [embeddedLog]),
    ],
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all([
        runner.stop(),
        creates.stop(),
        upkeep.stop(),
        deliveries.stop(),
        watchers.ended,
      ]);
    },
  };
}
