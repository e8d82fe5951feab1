import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, serverUuid } from '../../instances/labels.ts';
import type { NicUsage, Reading, ReadingTime, ServerUsage } from '../record/reading-queries.ts';
import { eachWithin } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { type Nics, readNetwork } from './network.ts';
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

/** What is kept of a node between two rounds. */
export interface NodeMemory {
  /** The last known NICs, without those of instances that are gone. */
  nics: Nics;
  /** Servers whose own state could not be read. */
  late: Set<string>;
  /** For how many rounds its metrics are skipped. */
  roundsToSkip: number;
}

export const createNodeMemory = (): NodeMemory => ({
  nics: new Map(),
  late: new Set(),
  roundsToSkip: 0,
});

/** If reading the metrics took too long, it will again, and puts load on the node. */
const skipRounds = 3;

/**
 * Reads the instances on one member, which answers only for these. If it can't report all of them
 * at once, for example because a guest has very many interfaces, each server that is known to run
 * there is read by itself.
 */
export async function readNode(
  context: NodeContext,
  location: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<Reading | undefined> {
  const { db, log, signal, begin } = context;
  const { nics, late } = memory;
  try {
    const begun = begin();
    const told = await readMetrics(context, location, node, memory);
    if (typeof told === 'object') {
      const names = [...told.running.keys()].filter((name) => serverUuid(name));
      for (const name of nics.keys()) if (!told.running.has(name)) nics.delete(name);
      const read = await readNics({ ...context, begun }, location, node, { names, nics });
      return { begun, scrape: scrapeOf(node, told.running), nics: read };
    }
    const running = (await runningOn(db, node.id)).map(instanceName);
    const names = [...new Set([...nics.keys(), ...running])];
    const [read, states] = await Promise.all([
      readNics({ ...context, begun }, location, node, { names, nics }),
      told === 'away' ? undefined : readStates(context, location, node, { names: running, late }),
    ]);
    return { begun, ...(states?.size && { scrape: scrapeOf(node, states) }), nics: read };
  } catch (error) {
    if (signal?.aborted) return undefined;
    const about = { err: error, location: location.id, node: node.name };
    log.warn(about, 'Traffic of a node could not be read.');
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
  { log, signal }: NodeContext,
  { id, client }: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<{ running: Map<string, InstanceReading> } | 'away' | 'silent'> {
  if (memory.roundsToSkip > 0) {
    memory.roundsToSkip -= 1;
    return 'silent';
  }
  try {
    return {
      running: await client.server.metrics(node.member ?? undefined, parseMetrics, { signal }),
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    log.warn({ err: error, location: id, node: node.name }, 'Metrics of a node could not be read.');
    if (isEngineError(error, 'unreachable')) return 'away';
    if (isEngineError(error, 'timeout')) memory.roundsToSkip = skipRounds;
    return 'silent';
  }
}

interface Due {
  names: string[];
  nics: Nics;
}

/** If the NIC of a server can't be read, its other figures are still recorded. */
async function readNics(
  { log, signal, share, begin, begun, nodeSeconds }: NodeContext & { begun: ReadingTime },
  { id, client }: UsageLocation,
  node: Node,
  { names, nics }: Due,
): Promise<NicUsage[]> {
  const read: NicUsage[] = [];
  const unknown = names.filter((name) => !nics.has(name));
  const due = [...unknown, ...nics.keys()].slice(0, Math.ceil(names.length * share));
  const deadline = { what: 'The NICs of a node', timeoutSeconds: nodeSeconds, signal };
  const errors = await eachWithin(deadline, due, async (name, untilThen) => {
    const network = await readNetwork(
      { client, member: node.member, signal: untilThen },
      name,
      nics,
    );
    const uuid = serverUuid(name);
    if (!network || !uuid) return;
    const networkAfter = begin().at.getTime() - begun.at.getTime();
    read.push({ uuid, ...network, networkAfter });
  });
  const [err] = errors;
  if (err && !signal?.aborted) {
    const about = { err, location: id, node: node.name, servers: errors.length };
    log.warn(about, 'Traffic of some servers could not be read.');
  }
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
