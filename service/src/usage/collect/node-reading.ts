import type { Logger } from 'pino';
import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, serverUuid } from '../../instances/labels.ts';
import { createOutage, type Outage } from '../../lib/outage.ts';
import { copyText } from '../record/copy-text.ts';
import type { NicUsage, Reading, ReadingTime, ServerUsage } from '../record/reading-queries.ts';
import { eachWithin } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { readNetwork } from './network.ts';
import { Nics } from './nics.ts';
import { type Node, runningOn } from './node-queries.ts';
import type { CollectContext, UsageLocation } from './source.ts';
import { readStates } from './states.ts';

interface NodeContext extends CollectContext {
  begin: () => ReadingTime;
  /** The share of the NICs to read, from 0 to 1. */
  share: number;
  /** Timeout for all NICs, or all states. */
  nodeSeconds: number;
}

/** The state of a node between two rounds. */
export interface NodeMemory {
  /** The last known NICs, without those of instances that are gone. */
  nics: Nics;
  /** Servers whose own state could not be read. */
  late: Set<string>;
  /** Servers whose NICs could not be read. */
  unread: Set<string>;
  /** The number of rounds in which its metrics are skipped. */
  roundsToSkip: number;
  /** The outages for the log, because failures occur in each round. */
  outages: Record<'metrics' | 'states' | 'traffic' | 'node', Outage>;
}

/** `log`: with the location and the node. */
export const createNodeMemory = (log: Logger): NodeMemory => ({
  nics: new Nics(),
  late: new Set(),
  unread: new Set(),
  roundsToSkip: 0,
  outages: {
    metrics: createOutage(log, {
      failed: 'Metrics of a node could not be read.',
      works: 'Metrics of a node can be read again.',
    }),
    states: createOutage(log, {
      failed: 'Usage of some servers could not be read.',
      works: 'Usage of these servers can be read again.',
    }),
    traffic: createOutage(log, {
      failed: 'Traffic of some servers could not be read.',
      works: 'Traffic of these servers can be read again.',
    }),
    node: createOutage(log, {
      failed: 'Traffic of a node could not be read.',
      works: 'Traffic of a node can be read again.',
    }),
  },
});

/**
 * The rounds without metrics after a timeout, because another attempt would probably time out, and puts load on the
 * node.
 */
const skipRounds = 3;

/**
 * Reads the instances on one member, which answers only for these. If it can't report all of them
 * at once, for example because a guest has very many interfaces, each server that is known to run there is read
 * separately.
 */
export async function readNode(
  context: NodeContext,
  location: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<Reading | undefined> {
  const { db, signal, begin } = context;
  const { nics, late, outages } = memory;
  try {
    const begun = begin();
    const told = await readMetrics(context, location, node, memory);
    if (typeof told === 'object') {
      const names = [...told.running.keys()].filter((name) => serverUuid(name));
      for (const name of nics.keys()) if (!told.running.has(name)) nics.delete(name);
      const read = await readNics({ ...context, begun }, location, node, { names, memory });
      outages.states.worked();
      outages.node.worked();
      return { begun, scrape: scrapeOf(node, told.running), nics: read };
    }
    const running = (await runningOn(db, node.id)).map(instanceName);
    const names = [...new Set([...nics.keys(), ...running])];
    const [read, states] = await Promise.all([
      readNics({ ...context, begun }, location, node, { names, memory }),
      told === 'away'
        ? undefined
        : readStates(context, location, { names: running, late, outage: outages.states }),
    ]);
    outages.node.worked();
    return { begun, ...(states?.size && { scrape: scrapeOf(node, states) }), nics: read };
  } catch (error) {
    if (signal?.aborted) return undefined;
    outages.node.failed(error);
    return undefined;
  }
}

const scrapeOf = ({ id: nodeId }: Node, told: Map<string, InstanceReading>) => ({
  nodeId,
  servers: [...told].flatMap(([name, reading]) => figuresOf(name, reading)),
});

/**
 * Readings by instance; otherwise why there are none: the node is unreachable, or could not answer.
 */
async function readMetrics(
  { signal }: NodeContext,
  { client }: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<{ running: Map<string, InstanceReading> } | 'away' | 'silent'> {
  if (memory.roundsToSkip > 0) {
    memory.roundsToSkip -= 1;
    return 'silent';
  }
  try {
    const running = await client.server.metrics(node.member ?? undefined, parseMetrics, { signal });
    memory.outages.metrics.worked();
    return { running };
  } catch (error) {
    if (signal?.aborted) throw error;
    memory.outages.metrics.failed(error);
    if (isEngineError(error, 'unreachable')) return 'away';
    if (isEngineError(error, 'timeout')) memory.roundsToSkip = skipRounds;
    return 'silent';
  }
}

interface Due {
  names: string[];
  memory: NodeMemory;
}

/** If the NIC of a server can't be read, its other figures are still recorded. */
async function readNics(
  { signal, share, begin, begun, nodeSeconds }: NodeContext & { begun: ReadingTime },
  { client }: UsageLocation,
  node: Node,
  { names, memory: { nics, unread, outages } }: Due,
): Promise<NicUsage[]> {
  const read: NicUsage[] = [];
  const most = Math.ceil(names.length * share);
  // Their names are kept, and are parts of the metrics.
  const unknown = names
    .filter((name) => !nics.has(name))
    .slice(0, most)
    .map(copyText);
  const due = [...unknown, ...nics.keys()].slice(0, most);
  const deadline = { what: 'The NICs of a node', timeoutSeconds: nodeSeconds, signal };
  const known = new Set(names);
  for (const name of unread) if (!known.has(name)) unread.delete(name);
  const errors = await eachWithin(deadline, due, async (name, untilThen) => {
    unread.add(name);
    const network = await readNetwork(
      { client, member: node.member, signal: untilThen },
      name,
      nics,
    );
    unread.delete(name);
    const uuid = serverUuid(name);
    if (!network || !uuid) return;
    const networkAfter = begin().at.getTime() - begun.at.getTime();
    read.push({ uuid, ...network, networkAfter });
  });
  const [err] = errors;
  if (signal?.aborted) return read;
  if (err) outages.traffic.failed(err, { servers: errors.length });
  // A round may have read only a share of them.
  else if (unread.size === 0) outages.traffic.worked();
  return read;
}

/** Skips instances whose CPU time is missing. */
function figuresOf(name: string, told: InstanceReading): ServerUsage[] {
  const uuid = serverUuid(name);
  if (!uuid || told.cpuSeconds === null) return [];
  const { cpuSeconds, ramBytes, diskRead, diskWritten } = told;
  const ramMb = ramBytes === null ? null : Math.round(ramBytes) / 2 ** 20;
  return [{ uuid, cpuSeconds, ramMb, diskRead, diskWritten }];
}
