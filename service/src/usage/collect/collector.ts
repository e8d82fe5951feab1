import { createOutage, type Outage } from '../../lib/outage.ts';
import { createPace } from '../../reconciler-runtime/pace.ts';
import { createRecorder } from '../record/record.ts';
import { ScrapeMemory } from '../record/scrapes.ts';
import { collectDiskUse, createDiskMemory } from './disk.ts';
import { type Node, onlineNodes } from './node-queries.ts';
import { createNodeMemory, type NodeMemory, readNode } from './node-reading.ts';
import { clockOfRound } from './round.ts';
import { createRunningCount, shareOf } from './running.ts';
import type { CollectContext, UsageLocation } from './source.ts';

export interface UsageCollector {
  /**
   * Reads CPU, memory, disk traffic and network of every server once. Returns the errors, and logs
   * the first one.
   */
  collect(signal?: AbortSignal): Promise<unknown[]>;
  /** Reads the disk use of the running servers whose figure is outdated. */
  collectDisk(signal?: AbortSignal): Promise<unknown[]>;
}

export const metricsSeconds = 15;
/** A figure is outdated after 60 s. This leaves a round the time that it takes. */
export const diskSeconds = 45;
/**
 * The most NICs that a round reads, over all locations. Each costs a call; if there are more, they
 * are read in turns. Their counters lose nothing by that.
 */
export const maxNicsPerRound = 5_000;
const maxDisks = 10_000;
/**
 * Timeout for the NICs, or the disks, of one node in a round, so that an engine that hangs hardly
 * delays the others.
 */
const nodeSeconds = 10;
/**
 * The nodes of all locations that are read at the same time, unless they take longer than the patience: 60 slow nodes are
 * begun per second. More nodes use more memory, and more CPU time: a round with eight needs 1.5 times as much as with three.
 */
const inPace = createPace({ atOnce: 3, patienceMilliseconds: 50 });

const recordMilliseconds = 3000;
const notCounted = {
  failed: 'Usage of a location could not be collected.',
  works: 'Usage of a location is collected again.',
};

/**
 * Collects the usage of a location's servers. If two processes do so, usage is still counted once.
 */
export function createUsageCollector(
  context: Omit<CollectContext, 'signal' | 'running'> & Partial<Pick<CollectContext, 'running'>>,
  location: UsageLocation,
  limits: Partial<Limits> = {},
): UsageCollector {
  const nodes = new Map<string, NodeMemory>();
  const log = context.log.child({ location: location.id });
  const disks = createDiskMemory(log);
  const outage = createOutage(log, notCounted);
  const running = createRunningCount(context.db);
  const memory = new ScrapeMemory();
  const most = { maxNics: maxNicsPerRound, maxDisks, nodeSeconds };
  const limited = { running, ...context, log, memory, ...most, ...limits };
  return {
    collect: (signal) => collectLocation({ ...limited, outage, signal }, location, nodes),
    collectDisk: (signal) => collectDiskUse({ ...limited, signal }, location, disks),
  };
}

interface Limits {
  maxNics: number;
  maxDisks: number;
  nodeSeconds: number;
}

interface LocationContext extends CollectContext, Limits {
  outage: Outage;
  memory: ScrapeMemory;
}

async function collectLocation(
  context: LocationContext,
  location: UsageLocation,
  remembered: Map<string, NodeMemory>,
): Promise<unknown[]> {
  const { db, log, running, memory, outage, signal } = context;
  try {
    const nodes = await onlineNodes(db, location.id);
    const share = shareOf(await running(location.id), context.maxNics);
    memory.beginRound();
    const recorder = createRecorder(db, location.id, memory);
    const begin = await clockOfRound(context);
    const limited = { ...context, share, begin };
    // The readings of other nodes should not wait for a slow one.
    const finish = () => {
      recorder.finish().catch(outage.failed);
    };
    const timer = setInterval(finish, recordMilliseconds);
    const readOne = async (node: Node) => {
      const ofNode = remembered.get(node.name) ?? createNodeMemory(log.child({ node: node.name }));
      remembered.set(node.name, ofNode);
      const reading = await readNode(limited, location, node, ofNode);
      if (reading) await recorder.add(reading);
    };
    const read = await Promise.allSettled(nodes.map((node) => inPace(() => readOne(node))));
    clearInterval(timer);
    const errors = read.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    await recorder.finish();
    const [error] = errors;
    if (signal?.aborted) return errors;
    if (error) outage.failed(error);
    else outage.worked();
    return errors;
  } catch (error) {
    if (!signal?.aborted) outage.failed(error);
    return [error];
  }
}
