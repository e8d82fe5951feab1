import { createRecorder } from '../record/record.ts';
import { ScrapeMemory } from '../record/scrapes.ts';
import { collectDiskUse } from './disk.ts';
import { eachInPace } from './each.ts';
import { type Node, onlineNodes } from './node-queries.ts';
import { type NodeMemory, newNodeMemory, readNode } from './node-reading.ts';
import { clockOfRound } from './round.ts';
import { createRunningCount, shareOf } from './running.ts';
import type { CollectContext, UsageLocation } from './source.ts';

export interface UsageCollector {
  /** Reads CPU, memory, disk traffic and network of every server once. Answers what failed, of which the log has the first. */
  collect(signal?: AbortSignal): Promise<unknown[]>;
  /** The same of the disk use of the running servers whose figure is old. */
  collectDisk(signal?: AbortSignal): Promise<unknown[]>;
}

export const metricsSeconds = 15;
/** A figure is old after 60 s: this leaves a round the time that it takes. */
export const diskSeconds = 45;
/**
 * Of all locations, in a round. Each costs a call; beyond so many servers each has its turn less often,
 * for the engines' sake as for ours. Its counters lose nothing by that.
 */
export const mostCards = 5_000;
const mostDisks = 15_000;
/**
 * Of all locations, whose figures of now are written in a round: beyond so many each has its turn every
 * 30 or 45 s, and none is old. What is counted, and the history, are of all of them in each round.
 */
const mostShown = 34_000;
/** For the cards, or the disks, of a node in a round: where the engine hangs, the others hardly wait for it. */
const nodeSeconds = 10;
/**
 * What is half read of many outlives the garbage of a round: eight nodes at once cost half as much
 * processor again as three. Engines that take their time to answer are asked beside the others.
 */
const pace = { atOnce: 3, patienceMilliseconds: 200 };

const recordMilliseconds = 3000;
const notCounted = 'Usage of a location could not be collected.';

/** Collects what the servers of a location use. Should two ever do, each use is counted once. */
export function createUsageCollector(
  context: Omit<CollectContext, 'signal' | 'running'> & Partial<Pick<CollectContext, 'running'>>,
  location: UsageLocation,
  limits: Partial<Limits> = {},
): UsageCollector {
  const nodes = new Map<string, NodeMemory>();
  const turn = { after: 0 };
  const running = createRunningCount(context.db);
  const memory = new ScrapeMemory();
  const most = { mostCards, mostDisks, mostShown, nodeSeconds };
  const limited = { running, ...context, memory, ...most, ...limits };
  return {
    collect: (signal) => collectLocation({ ...limited, signal }, location, nodes),
    collectDisk: (signal) => collectDiskUse({ ...limited, signal }, location, turn),
  };
}

interface Limits {
  mostCards: number;
  mostDisks: number;
  mostShown: number;
  nodeSeconds: number;
}

interface LocationContext extends CollectContext, Limits {
  memory: ScrapeMemory;
}

async function collectLocation(
  context: LocationContext,
  location: UsageLocation,
  remembered: Map<string, NodeMemory>,
): Promise<unknown[]> {
  const { db, log, running, memory, signal } = context;
  try {
    const nodes = await onlineNodes(db, location.id);
    const counted = await running(location.id);
    const share = shareOf(counted, context.mostCards);
    memory.beginRound(shareOf(counted, context.mostShown));
    const recorder = createRecorder(db, location.id, memory);
    const begin = await clockOfRound(context);
    const limited = { ...context, share, begin };
    // What is read is not to wait for a node that is slow.
    const report = (err: unknown) => log.warn({ err, location: location.id }, notCounted);
    const timer = setInterval(() => void recorder.finish().catch(report), recordMilliseconds);
    const readOne = async (node: Node) => {
      const ofNode = remembered.get(node.name) ?? newNodeMemory();
      remembered.set(node.name, ofNode);
      const reading = await readNode(limited, location, node, ofNode);
      if (reading) await recorder.add(reading);
    };
    const errors = await eachInPace(nodes, readOne, pace).finally(() => clearInterval(timer));
    await recorder.finish();
    const [error] = errors;
    if (error && !signal?.aborted) report(error);
    return errors;
  } catch (error) {
    if (!signal?.aborted) log.warn({ err: error, location: location.id }, notCounted);
    return [error];
  }
}
