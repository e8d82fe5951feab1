import type { Logger } from 'pino';
import { pause } from '../pause.ts';
import { instanceName, serverUuid } from '../servers/instance.ts';
import { collectDiskUse } from './disk.ts';
import { each } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { type Cards, readNetwork } from './network.ts';
import { beginReading, type Node, onlineNodes, type ServerReading } from './reading-queries.ts';
import { record } from './record.ts';
import type { CollectContext, UsageLocation } from './source.ts';

export interface UsageCollector {
  /** Reads CPU, memory, disk traffic and network of every server once. Never throws. */
  collect(signal?: AbortSignal): Promise<void>;
  /** Reads the disk use of the running servers whose figure is old. Never throws. */
  collectDisk(signal?: AbortSignal): Promise<void>;
}

const metricsSeconds = 15;
const diskSeconds = 60;

/** Collects what the servers of a location use. Should two ever do, each use is counted once. */
export function createUsageCollector(
  context: Omit<CollectContext, 'signal'>,
  location: UsageLocation,
): UsageCollector {
  const cards = new Map<string, Cards>();
  return {
    collect: (signal) => collectLocation({ ...context, signal }, location, cards),
    collectDisk: (signal) => collectDiskUse({ ...context, signal }, location),
  };
}

interface OnTime {
  log: Logger;
  signal: AbortSignal;
  afterCounting: () => Promise<void>;
}

/** Collects on a timer until the signal aborts; `afterCounting` follows each of its rounds. */
export async function collectOnTime(
  { collect, collectDisk }: UsageCollector,
  { log, signal, afterCounting }: OnTime,
): Promise<void> {
  const count = async () => {
    await collect(signal);
    await afterCounting();
  };
  await Promise.all([
    repeat(count, metricsSeconds, signal, log),
    repeat(() => collectDisk(signal), diskSeconds, signal, log),
  ]);
}

async function collectLocation(
  context: CollectContext,
  location: UsageLocation,
  cards: Map<string, Cards>,
): Promise<void> {
  const { db, log, signal } = context;
  try {
    const nodes = await onlineNodes(db, location.id);
    await Promise.all(
      nodes.map(async (node) => {
        const seen = await collectNode(context, location, node, cards.get(node.name));
        if (seen) cards.set(node.name, seen);
      }),
    );
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error, location: location.id }, 'Usage of a location could not be collected.');
  }
}

/** A member answers for the instances that run on it, and only for those. Answers their cards. */
async function collectNode(
  { db, log, now, signal }: CollectContext,
  { id, client }: UsageLocation,
  node: Node,
  known: Cards = new Map(),
): Promise<Cards | undefined> {
  try {
    const { order, at } = await beginReading(db);
    const begun = { order, at: now?.() ?? at };
    const text = await client.server.metrics(node.member ?? undefined, { signal });
    const running = serversOf(parseMetrics(text));
    const names = new Set(running.map(([uuid]) => instanceName(uuid)));
    const cards: Cards = new Map([...known].filter(([name]) => names.has(name)));
    const servers: ServerReading[] = [];
    const errors = await each(
      running,
      async ([uuid, reading]) => {
        const place = { client, member: node.member, signal };
        const network = readNetwork(place, instanceName(uuid), cards);
        // What else is known of it counts all the same.
        servers.push({ ...readingOf(uuid, reading), ...(await network.catch(() => undefined)) });
        await network;
      },
      signal,
    );
    await record(db, { locationId: id, begun, servers });
    const [err] = errors;
    if (err && !signal?.aborted) {
      const about = { err, location: id, node: node.name, servers: errors.length };
      log.warn(about, 'Traffic of some servers could not be read.');
    }
    return cards;
  } catch (error) {
    if (signal?.aborted) return undefined;
    log.warn({ err: error, location: id, node: node.name }, 'Usage of a node could not be read.');
    return undefined;
  }
}

/** Those of instances that bear the name of a server. */
function serversOf(instances: Map<string, InstanceReading>): [string, InstanceReading][] {
  return Array.from(instances).flatMap(([name, reading]) => {
    const uuid = serverUuid(name);
    return uuid ? [[uuid, reading]] : [];
  });
}

const noNetwork = { run: null, startedAt: null, networkIn: null, networkOut: null };

function readingOf(uuid: string, reading: InstanceReading): ServerReading {
  const { cpuSeconds, ramBytes, diskRead, diskWritten } = reading;
  return { uuid, cpuSeconds, ramMb: ramBytes / 2 ** 20, diskRead, diskWritten, ...noNetwork };
}

/**
 * Rounds at full `seconds` of the clock, never two at once: those of a month end with it, and each
 * sample of the history has its own time.
 */
async function repeat(
  round: () => Promise<void>,
  seconds: number,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    await round().catch((error) => log.error({ err: error }, 'A round of usage failed.'));
    const period = seconds * 1000;
    await pause(period - (Date.now() % period), signal);
  }
}
