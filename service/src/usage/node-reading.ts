import { serverUuid } from '../servers/instance.ts';
import { eachWithin } from './each.ts';
import { type InstanceReading, parseMetrics } from './metrics.ts';
import { type Cards, readNetwork } from './network.ts';
import type { Node } from './node-queries.ts';
import type { CardReading, Figures, Reading, ReadingTime } from './reading-queries.ts';
import type { CollectContext, UsageLocation } from './source.ts';

interface NodeContext extends CollectContext {
  begin: () => ReadingTime;
  /** Which part of the cards is to be read. */
  share: number;
  /** For the cards, at most. */
  nodeSeconds: number;
}

/**
 * A member answers for the instances that run on it, and only for those. Where it does not tell of them, such
 * as for a guest with very many interfaces, the cards that are known are read all the same.
 * @param cards of the node, as last seen; those of instances that are gone are taken away
 */
export async function readNode(
  context: NodeContext,
  location: UsageLocation,
  node: Node,
  cards: Cards,
): Promise<Reading | undefined> {
  const { log, signal, begin } = context;
  try {
    const begun = begin();
    const told = await readFigures(context, location, node);
    const names = [...(told ?? cards).keys()].filter((name) => serverUuid(name));
    if (told) for (const name of cards.keys()) if (!told.has(name)) cards.delete(name);
    const read = await readCards({ ...context, begun }, location, node, { names, cards });
    if (!told) return { begun, cards: read };
    const servers = names.flatMap((name) => figuresOf(name, told.get(name)));
    return { begun, scrape: { nodeId: node.id, servers }, cards: read };
  } catch (error) {
    if (signal?.aborted) return undefined;
    const about = { err: error, location: location.id, node: node.name };
    log.warn(about, 'Traffic of a node could not be read.');
    return undefined;
  }
}

/** By instance; undefined where the node can't be asked. */
async function readFigures(
  { log, signal }: NodeContext,
  { id, client }: UsageLocation,
  node: Node,
): Promise<Map<string, InstanceReading> | undefined> {
  try {
    return await client.server.metrics(node.member ?? undefined, parseMetrics, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    log.warn({ err: error, location: id, node: node.name }, 'Usage of a node could not be read.');
    return undefined;
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
function figuresOf(name: string, told?: InstanceReading): Figures[] {
  const uuid = serverUuid(name);
  if (!uuid || !told || told.cpuSeconds === null) return [];
  const { cpuSeconds, ramBytes, diskRead, diskWritten } = told;
  const ramMb = ramBytes === null ? null : Math.round(ramBytes) / 2 ** 20;
  return [{ uuid, cpuSeconds, ramMb, diskRead, diskWritten }];
}
