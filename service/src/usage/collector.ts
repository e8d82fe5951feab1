import type { Logger } from 'pino';
import { pause } from '../pause.ts';
import { serverUuid } from '../servers/instance.ts';
import { collectDiskUse } from './disk.ts';
import { each, eachWithin } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { type Cards, readNetwork } from './network.ts';
import { type Node, onlineNodes } from './node-queries.ts';
import type { Reading, ReadingTime, ServerReading } from './reading-queries.ts';
import { createRecorder } from './record.ts';
import { clockOfRound } from './round.ts';
import { createRunningCount, shareOf } from './running.ts';
import type { CollectContext, UsageLocation } from './source.ts';

export interface UsageCollector {
  /** Reads CPU, memory, disk traffic and network of every server once. Never throws. */
  collect(signal?: AbortSignal): Promise<void>;
  /** Reads the disk use of the running servers whose figure is old. Never throws. */
  collectDisk(signal?: AbortSignal): Promise<void>;
}

const metricsSeconds = 15;
/** A figure is old after 60 s: this leaves a round the time that it takes. */
export const diskSeconds = 45;
/**
 * Of all locations, in a round. Each costs a call; beyond so many servers each has its turn less often,
 * for the engines' sake as for ours. Its counters lose nothing by that.
 */
export const mostCards = 5_000;
const mostDisks = 15_000;
/** For the cards, or the disks, of a node in a round: where the engine hangs, the others hardly wait for it. */
const nodeSeconds = 10;

const recordMilliseconds = 3000;
const notCounted = 'Usage of a location could not be collected.';

/** Collects what the servers of a location use. Should two ever do, each use is counted once. */
export function createUsageCollector(
  context: Omit<CollectContext, 'signal' | 'running'> & Partial<Pick<CollectContext, 'running'>>,
  location: UsageLocation,
  limits: Partial<Limits> = {},
): UsageCollector {
  const cards = new Map<string, Cards>();
  const turn = { after: 0 };
  const running = createRunningCount(context.db);
  const limited = { running, ...context, mostCards, mostDisks, nodeSeconds, ...limits };
  return {
    collect: (signal) => collectLocation({ ...limited, signal }, location, cards),
    collectDisk: (signal) => collectDiskUse({ ...limited, signal }, location, turn),
  };
}

interface OnTime {
  log: Logger;
  signal: AbortSignal;
  afterCounting: () => void;
}

/** Collects on a timer until the signal aborts; `afterCounting` is called after each round. */
export async function collectOnTime(
  { collect, collectDisk }: UsageCollector,
  { log, signal, afterCounting }: OnTime,
): Promise<void> {
  const count = async () => {
    await collect(signal);
    afterCounting();
  };
  await Promise.all([
    repeat(count, metricsSeconds, signal, log),
    repeat(() => collectDisk(signal), diskSeconds, signal, log),
  ]);
}

interface Limits {
  mostCards: number;
  mostDisks: number;
  nodeSeconds: number;
}

interface NodeContext extends CollectContext, Pick<Limits, 'nodeSeconds'> {
  begin: () => ReadingTime;
  /** Which part of the cards is to be read. */
  share: number;
}

async function collectLocation(
  context: CollectContext & Limits,
  location: UsageLocation,
  cards: Map<string, Cards>,
): Promise<void> {
  const { db, log, running, signal } = context;
  try {
    const nodes = await onlineNodes(db, location.id);
    const share = shareOf(await running(location.id), context.mostCards);
    const recorder = createRecorder(db, location.id);
    const begin = await clockOfRound(context);
    const limited = { ...context, share, begin };
    // What is read is not to wait for a node that is slow.
    const report = (err: unknown) => log.warn({ err, location: location.id }, notCounted);
    let recording = Promise.resolve();
    const timer = setInterval(() => {
      recording = recording.then(recorder.finish).catch(report);
    }, recordMilliseconds);
    const errors = await each(nodes, async (node) => {
      const seen = await readNode(limited, location, node, cards.get(node.name));
      if (!seen) return;
      cards.set(node.name, seen.cards);
      await recorder.add(seen.reading);
    }).finally(() => clearInterval(timer));
    await recording;
    await recorder.finish();
    if (errors.length > 0) throw errors[0];
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error, location: location.id }, notCounted);
  }
}

/** A member answers for the instances that run on it, and only for those. Undefined if it can't be read. */
async function readNode(
  { log, signal, share, begin, nodeSeconds }: NodeContext,
  { id, client }: UsageLocation,
  node: Node,
  known: Cards = new Map(),
): Promise<{ reading: Reading; cards: Cards } | undefined> {
  try {
    const begun = begin();
    const member = node.member ?? undefined;
    const servers = readingsOf(await client.server.metrics(member, parseMetrics, { signal }));
    const cards: Cards = new Map([...known].filter(([name]) => servers.has(name)));
    const unknown = [...servers.keys()].filter((name) => !cards.has(name));
    const due = [...unknown, ...cards.keys()].slice(0, Math.ceil(servers.size * share));
    const deadline = { what: 'The cards of a node', timeoutSeconds: nodeSeconds, signal };
    const errors = await eachWithin(deadline, due, async (name, untilThen) => {
      const place = { client, member: node.member, signal: untilThen };
      // Where it fails, what else is known of a server counts all the same.
      const network = await readNetwork(place, name, cards);
      if (!network) return;
      const networkAfter = begin().at.getTime() - begun.at.getTime();
      Object.assign(servers.get(name) ?? {}, { ...network, networkAfter });
    });
    const [err] = errors;
    if (err && !signal?.aborted) {
      const about = { err, location: id, node: node.name, servers: errors.length };
      log.warn(about, 'Traffic of some servers could not be read.');
    }
    return { reading: { begun, servers: [...servers.values()] }, cards };
  } catch (error) {
    if (signal?.aborted) return undefined;
    log.warn({ err: error, location: id, node: node.name }, 'Usage of a node could not be read.');
    return undefined;
  }
}

/** By instance, of those that bear the name of a server. */
function readingsOf(instances: Map<string, InstanceReading>): Map<string, ServerReading> {
  const readings = Array.from(instances).flatMap(([name, reading]): [string, ServerReading][] => {
    const uuid = serverUuid(name);
    return uuid ? [[name, readingOf(uuid, reading)]] : [];
  });
  return new Map(readings);
}

const noNetwork = {
  run: null,
  startedAt: null,
  networkIn: null,
  networkOut: null,
  networkAfter: null,
};

function readingOf(uuid: string, reading: InstanceReading): ServerReading {
  const { cpuSeconds, ramBytes, diskRead, diskWritten } = reading;
  const ramMb = ramBytes === null ? null : ramBytes / 2 ** 20;
  return { uuid, cpuSeconds, ramMb, diskRead, diskWritten, ...noNetwork };
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
