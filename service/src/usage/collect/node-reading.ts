import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, serverUuid } from '../../instances/labels.ts';
import type { CardReading, Figures, Reading, ReadingTime } from '../record/reading-queries.ts';
import { eachWithin } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { type Cards, readNetwork } from './network.ts';
import { type Node, runningOn } from './node-queries.ts';
import type { CollectContext, UsageLocation } from './source.ts';
import { readStates } from './states.ts';

interface NodeContext extends CollectContext {
  begin: () => ReadingTime;
  /** Which part of the cards is to be read. */
  share: number;
  /** For the cards, or the states, at most. */
  nodeSeconds: number;
}

/** What is remembered of a node between two rounds. */
export interface NodeMemory {
  /** As last seen; those of instances that are gone are taken away. */
  cards: Cards;
  /** Servers whose own state could not be read. */
  late: Set<string>;
  /** For how many rounds it is not asked for its metrics. */
  rest: number;
}

export const newNodeMemory = (): NodeMemory => ({ cards: new Map(), late: new Set(), rest: 0 });

/** What takes so long takes it again, and costs the node as much as it costs us. */
const restRounds = 3;

/**
 * A member answers for the instances that run on it, and only for those. Where it does not tell of them, such
 * as for a guest with very many interfaces, each server that is known to run there is asked by itself.
 */
export async function readNode(
  context: NodeContext,
  location: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<Reading | undefined> {
  const { db, log, signal, begin } = context;
  const { cards, late } = memory;
  try {
    const begun = begin();
    const told = await readMetrics(context, location, node, memory);
    if (typeof told === 'object') {
      const names = [...told.running.keys()].filter((name) => serverUuid(name));
      for (const name of cards.keys()) if (!told.running.has(name)) cards.delete(name);
      const read = await readCards({ ...context, begun }, location, node, { names, cards });
      return { begun, scrape: scrapeOf(node, told.running), cards: read };
    }
    const running = (await runningOn(db, node.id)).map(instanceName);
    const names = [...new Set([...cards.keys(), ...running])];
    const [read, states] = await Promise.all([
      readCards({ ...context, begun }, location, node, { names, cards }),
      told === 'away' ? undefined : readStates(context, location, node, { names: running, late }),
    ]);
    return { begun, ...(states?.size && { scrape: scrapeOf(node, states) }), cards: read };
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

/** By instance; otherwise why not: it can't be reached, or it has no answer to this. */
async function readMetrics(
  { log, signal }: NodeContext,
  { id, client }: UsageLocation,
  node: Node,
  memory: NodeMemory,
): Promise<{ running: Map<string, InstanceReading> } | 'away' | 'silent'> {
  if (memory.rest > 0) {
    memory.rest -= 1;
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
    if (isEngineError(error, 'timeout')) memory.rest = restRounds;
    return 'silent';
  }
}

interface Due {
  names: string[];
  cards: Cards;
}

/** Of a server whose card can't be read, what else is known counts all the same. */
async function readCards(
  { log, signal, share, begin, begun, nodeSeconds }: NodeContext & { begun: ReadingTime },
  { id, client }: UsageLocation,
  node: Node,
  { names, cards }: Due,
): Promise<CardReading[]> {
  const read: CardReading[] = [];
  const unknown = names.filter((name) => !cards.has(name));
  const due = [...unknown, ...cards.keys()].slice(0, Math.ceil(names.length * share));
  const deadline = { what: 'The cards of a node', timeoutSeconds: nodeSeconds, signal };
  const errors = await eachWithin(deadline, due, async (name, untilThen) => {
    const network = await readNetwork(
      { client, member: node.member, signal: untilThen },
      name,
      cards,
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

/** None of one whose CPU time is not told. */
function figuresOf(name: string, told: InstanceReading): Figures[] {
  const uuid = serverUuid(name);
  if (!uuid || told.cpuSeconds === null) return [];
  const { cpuSeconds, ramBytes, diskRead, diskWritten } = told;
  const ramMb = ramBytes === null ? null : Math.round(ramBytes) / 2 ** 20;
  return [{ uuid, cpuSeconds, ramMb, diskRead, diskWritten }];
}
