import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RunningIncus } from '../../setup/incus-daemon.ts';
import { listenError } from '../../setup/listening.mjs';
import { createApi, helpSite } from './api.ts';
import { isBuilt } from './built-files/files.ts';
import type { Config, LocalNames } from './config/config.ts';
import type { Db } from './db/connection.ts';
import type { OpenDatabase } from './db/open.ts';
import { countFaults } from './faults.ts';
import { type FirstServer, suggestFirstServer } from './first-server-queries.ts';
import { ensureFirstImage } from './images/first-image.ts';
import { type ImageDirectories, imageDirectoriesOf } from './images/images.ts';
import { createIncusClient } from './incus/client.ts';
import { EngineError } from './incus/transport/errors.ts';
import type { Interruption } from './interruption.ts';
import { loadKeys } from './keys/key-file.ts';
import { fingerprintOf } from './keys/keyring.ts';
import {
  type Agreed,
  agreeOnSecretKey,
  announcement,
  followKeys,
  mayBeUnbound,
} from './keys/secret-key.ts';
import { unreadableSecrets } from './keys/unreadable.ts';
import { ensureLocalLocation } from './location-setup/local.ts';
import { createEngines } from './locations/engines.ts';
import { listAllLocations } from './locations/queries.ts';
import { createMetrics } from './metrics/metrics.ts';
import { apiFinder, type FindApi } from './network-policy/api-addresses.ts';
import { unbounded } from './network-policy/others.ts';
import { recordServiceAddresses } from './network-policy/service-addresses.ts';
import { insertMissing } from './operating-systems/catalogue-queries.ts';
import { reconcileNetworkPolicy } from './reconcilers/network-policy.ts';
import { syncNodes } from './reconcilers/nodes.ts';
import { type NoSetupCode, offerSetup, type SetupCode } from './setup/offer.ts';
import { type AdminToken, ensureAdminToken, type NoAdminToken } from './tokens/admin.ts';
import { type Foundation, startWorkers } from './workers.ts';

export interface RunningService {
  url: string;
  /** The URL for browsers. */
  panelUrl: string;
  /** Whether it serves the documentation site, which has to be built. */
  hasHelp: boolean;
  dataDir: string;
  /** Whether the database is in the data directory. */
  isEmbedded: boolean;
  admin: AdminToken | NoAdminToken;
  /** With which the first administrator is made. */
  setup: SetupCode | NoSetupCode;
  /** Whether there is a location for servers. */
  hasLocation: boolean;
  /** The values for a first create, as long as there has been no server. */
  firstServer: FirstServer | undefined;
  stop(): Promise<void>;
}

export type Say = (text: string) => void;
export type Interrupting = Pick<Interruption, 'signal' | 'always'>;

/** What is started before the parts. */
interface Given {
  config: Config;
  log: Logger;
  database: OpenDatabase;
  /** The Incus of this machine, if it is a location. */
  incus: RunningIncus | undefined;
  /** Sets what this service tells the other services when it connects. */
  announceAs: (announce: () => string) => void;
}

interface Talk {
  say: Say;
  interruption: Interrupting;
}

/**
 * Starts all parts of the service with an open database, and listens. If a later step fails, the stack stops the started
 * parts. `start.ts` loads this file while PostgreSQL starts.
 */
export async function startParts(
  stack: AsyncDisposableStack,
  given: Given,
  talk: Talk,
): Promise<RunningService> {
  const { config } = given;
  const { signal } = talk.interruption;
  const stopping = new AbortController();
  const laid = await layFoundation(stack, given, talk);
  const foundation = { ...laid, draining: signal, stopping: stopping.signal };
  const isOnlyService = !config.databaseUrl;
  const admin = await ensureAdminToken(foundation.db, config.dataDir, isOnlyService);
  const setup = await offerSetup(foundation.db, config.dataDir, isOnlyService);
  const workers = await startWorkers(foundation);
  stack.defer(() => workers.stop());
  const app = await createApi(foundation, config);
  stack.defer(() => app.close());
  const url = await app.listen({ host: config.host, port: config.port }).catch((error) => {
    throw listenError(error, config);
  });
  const hasLocation = (await listAllLocations(foundation.db)).length > 0;
  const firstServer = await suggestFirstServer(foundation.db);
  const running = stack.move();
  return {
    url,
    // The default does not know the address that the service listens on.
    panelUrl: config.publicUrl.protocol === 'https:' ? config.publicUrl.origin : url,
    hasHelp: isBuilt(helpSite),
    dataDir: config.dataDir,
    isEmbedded: isOnlyService,
    ...{ admin, setup },
    hasLocation,
    firstServer,
    async stop() {
      // A load balancer sees that the service is stopping, and sends requests elsewhere, before it
      // stops.
      await sleep(config.drainSeconds * 1000);
      stopping.abort();
      await running.disposeAsync();
    },
  };
}

async function layFoundation(
  stack: AsyncDisposableStack,
  { config, log, database, incus, announceAs }: Given,
  { say, interruption }: Talk,
): Promise<Omit<Foundation, 'draining' | 'stopping'>> {
  const { db, pool, workers, leases, health, notifications } = database;
  const { refusedRoom, databaseOutage } = database;
  const { dataDir } = config;
  const isOnlyService = !config.databaseUrl;
  const agreed = await agreeOnSecretKey(db, await loadKeys(dataDir), { dataDir, isOnlyService });
  if (agreed.outcome === 'replaced') say(otherKey(dataDir, agreed));
  if (agreed.outcome === 'returned') say(keyIsBack(dataDir));
  const { keyring } = agreed;
  announceAs(() => announcement(keyring));
  if (mayBeUnbound(keyring)) say(unbound(dataDir));
  const leaving = new AbortController();
  const following = followKeys({ keyring, db: workers.db, dataDir, log }, leaving.signal);
  stack.defer(async () => {
    leaving.abort();
    await following;
  });
  await insertMissing(db);
  const pools = {
    ...{ requests: pool, workers: workers.pool },
    ...{ leases: leases.pool, health: health.pool },
  };
  const metrics = createMetrics(
    { db, pools, log },
    {
      ...{ ofServers: config.metricsOfServers, dataDir: config.dataDir },
      faults: () => countFaults(config.dataDir),
    },
  );
  const engines = createEngines({ observe: metrics.called, log });
  stack.defer(() => engines.close());
  const imageDirectories = imageDirectoriesOf(config);
  // Removes the files of a killed build.
  await rm(imageDirectories.work, { recursive: true, force: true });
  if (config.local && incus) {
    const findApi = apiFinder(config);
    await prepareLocal({
      db,
      log,
      names: config.local,
      place: incus,
      imageDirectories,
      findApi,
      protectedAddresses: config.protectedAddresses,
      say,
      signal: interruption.signal,
    });
  }
  const connections = { db, workers, leases, health, notifications, refusedRoom, databaseOutage };
  const unreadable = unreadableSecrets(keyring, metrics.encryptedValues);
  return { ...connections, config, engines, secretKey: keyring, unreadable, metrics, log };
}

const unbound = (dataDir: string) =>
  `Note: ${join(dataDir, 'secret-key')} has a key of an earlier release. Somebody who can write to the database could move ` +
  'values that are encrypted with it to another place. When all services are of this release, run ' +
  '"npm run db -- rotate-key". Encrypted values can then be read only in their own place.';

const keyIsBack = (dataDir: string) =>
  `Note: ${join(dataDir, 'secret-key')} is the previous key again. Values that are encrypted with it can be read, but ` +
  'those that were encrypted with the other key since then cannot.';

const otherKey = (dataDir: string, { noted, earlier }: Pick<Agreed, 'noted' | 'earlier'>) =>
  `Note: ${join(dataDir, 'secret-key')} is not the key that was used before, which has the fingerprint ` +
  `${fingerprintOf(noted)}. ${earlierKeys(earlier)}Values that are encrypted with another key ` +
  '(passwords of servers that are being created, the key of the client certificate for Incus) cannot be read. ' +
  'If you have their key, stop Berth and restore it.';

const earlierKeys = (fingerprints: readonly string[]) =>
  fingerprints.length === 0
    ? ''
    : `Before that one, these keys were in use, the newest last: ${fingerprints.join(', ')}. `;

interface Preparation {
  db: Db;
  log: Logger;
  names: LocalNames;
  place: RunningIncus;
  imageDirectories: ImageDirectories;
  findApi: FindApi;
  protectedAddresses: readonly string[];
  say: Say;
  signal: AbortSignal;
}

/** Prepares the location `local` for the first request. */
async function prepareLocal(preparation: Preparation): Promise<void> {
  const { db, log, names, place, imageDirectories, findApi, say, signal } = preparation;
  const { protectedAddresses } = preparation;
  const { socketPath, incusDir: diskPath } = place;
  const client = createIncusClient({ socketPath, project: names.project });
  try {
    const { id } = await ensureLocalLocation(db, { client, socketPath, names, diskPath }, say);
    const report = (error: unknown) => log.warn({ err: error }, 'A node could not be read.');
    const subject = { db, client, locationId: id, signal, report };
    await syncNodes({ ...subject, pool: names.pool });
    // This runs before there are servers. A failure is retried regularly.
    await recordServiceAddresses(db);
    const policy = { ...subject, findApi, protectedAddresses };
    const others = await reconcileNetworkPolicy(policy).catch((error: unknown): string[] => {
      if (!(error instanceof EngineError)) throw error;
      log.warn({ err: error }, 'The network rules of a location could not be set.');
      return [];
    });
    if (others.length > 0) say(`Note: ${unbounded(names.network, others)}`);
    const directories = imageDirectories;
    await ensureFirstImage({ db, incus: client, locationId: id, directories, say, signal });
  } finally {
    await client.close();
  }
}
