import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { InstanceState } from '../incus/instances.ts';
import { pause } from '../pause.ts';
import { instanceName, serverUuid } from '../servers/instance.ts';
import { collectDiskUse } from './disk.ts';
import { type InstanceReading, isNetworkCard, parseMetrics } from './metrics.ts';
import { locationOfServer, type Node, onlineNodes, type ServerReading } from './queries.ts';
import { record } from './record.ts';
import type { CollectContext, UsageLocation, UsageSource } from './source.ts';

export interface UsageCollectorOptions {
  db: Db;
  locations: () => Promise<UsageLocation[]>;
  log: Logger;
  now?: () => Date;
}

export interface UsageCollector {
  /** Reads CPU, memory and network of every server once. Never throws for a location's fault. */
  collect(signal?: AbortSignal): Promise<void>;
  /** Reads the disk use of the running servers whose figure is old. */
  collectDisk(signal?: AbortSignal): Promise<void>;
  /** Collects on a timer until the signal aborts; resolves once the last round has ended. */
  start(signal: AbortSignal): Promise<void>;
}

const metricsSeconds = 15;
const diskSeconds = 60;
/** Incus answers metrics from a cache; even a guest that has restarted since shows its old ones. */
const cacheMilliseconds = 8000;

/** Collects what the servers use. Any number of replicas may; each use is counted once. */
export function createUsageCollector(options: UsageCollectorOptions): UsageCollector {
  const { log, locations, now = () => new Date() } = options;
  const context = { ...options, now };
  const collect = async (signal?: AbortSignal) => {
    const round = { ...context, signal };
    await Promise.all((await locations()).map((location) => collectLocation(round, location)));
  };
  const collectDisk = async (signal?: AbortSignal) => {
    const round = { ...context, signal };
    const before = new Date(now().getTime() - diskSeconds * 900);
    await Promise.all((await locations()).map((l) => collectDiskUse(round, l, before)));
  };
  return {
    collect,
    collectDisk,
    async start(signal) {
      await Promise.all([
        repeat(collect, metricsSeconds, signal, log),
        repeat(collectDisk, diskSeconds, signal, log),
      ]);
    },
  };
}

async function collectLocation(context: CollectContext, location: UsageLocation): Promise<void> {
  const { db, log } = context;
  try {
    const nodes = await onlineNodes(db, location.id);
    await Promise.all(nodes.map((node) => collectNode(context, location, node)));
  } catch (error) {
    log.warn({ err: error, location: location.id }, 'Usage of a location could not be collected.');
  }
}

/** A member answers for the instances that run on it, and only for those. */
async function collectNode(
  { db, log, now, signal }: CollectContext,
  { id, client }: UsageLocation,
  node: Node,
): Promise<void> {
  try {
    const takenAfter = new Date(now().getTime() - cacheMilliseconds);
    const text = await client.server.metrics(node.member ?? undefined, { signal });
    const servers = serverReadings(parseMetrics(text));
    await record(db, { locationId: id, takenAfter, readAt: now(), servers });
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error, location: id, node: node.name }, 'Usage of a node could not be read.');
  }
}

/** Those of instances that bear the name of a server. */
function serverReadings(instances: Map<string, InstanceReading>): ServerReading[] {
  return Array.from(instances).flatMap(([name, reading]) => {
    const uuid = serverUuid(name);
    return uuid ? [serverReading(uuid, reading)] : [];
  });
}

function serverReading(uuid: string, reading: InstanceReading): ServerReading {
  const { cpuSeconds, ramBytes, networkIn, networkOut } = reading;
  return { uuid, cpuSeconds, ramMb: ramBytes / 2 ** 20, networkIn, networkOut };
}

export type LastReading = { ok: true } | { ok: false; error: unknown };

/**
 * Counts the traffic up to now of a server about to be stopped or restarted: its counters end
 * with it. Never throws, and takes a few seconds at most, so that a stop need not wait for it.
 */
export async function readBeforeStop(options: {
  db: Db;
  client: Pick<UsageSource, 'instances'>;
  serverUuid: string;
  now?: () => Date;
}): Promise<LastReading> {
  try {
    await readLast(options);
    return { ok: true };
  } catch (error) {
    return { ok: false, error };
  }
}

async function readLast({
  db,
  client,
  serverUuid: uuid,
  now = () => new Date(),
}: Parameters<typeof readBeforeStop>[0]): Promise<void> {
  const takenAfter = now();
  const state = await client.instances.getState(instanceName(uuid), { timeoutSeconds: 3 });
  const locationId = await locationOfServer(db, uuid);
  if (!state?.network || locationId === undefined) return;
  const servers = [{ uuid, cpuSeconds: null, ramMb: null, ...networkBytes(state.network) }];
  await record(db, { locationId, takenAfter, readAt: now(), servers });
}

function networkBytes(network: NonNullable<InstanceState['network']>) {
  const cards = Object.entries(network).filter(([device]) => isNetworkCard(device));
  const counters = cards.map(([, card]) => card.counters);
  return {
    networkIn: counters.reduce((sum, c) => sum + c.bytes_received, 0),
    networkOut: counters.reduce((sum, c) => sum + c.bytes_sent, 0),
  };
}

/** Rounds `seconds` apart, measured from start to start, never two at once. */
async function repeat(
  round: (signal: AbortSignal) => Promise<void>,
  seconds: number,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    const next = performance.now() + seconds * 1000;
    await round(signal).catch((error) => log.error({ err: error }, 'A round of usage failed.'));
    await pause(next - performance.now(), signal);
  }
}
