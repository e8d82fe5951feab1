import type { Exclusion } from '../db/schema/schema.ts';
import type { NodeRoom } from './room-queries.ts';

/** The resources that a server needs on a node. */
export interface Demand {
  cpu: number;
  ramMb: number;
  diskGb: number;
  /** The node that it leaves, in a move. */
  currentNodeId?: number;
}

/** The overcommit ratios of the resources of a node. */
export interface Overcommit {
  cpu: number;
  ram: number;
  disk: number;
}

/** The resources that can still be allocated. */
export function freeOf(node: NodeRoom, overcommit: Overcommit) {
  const { cpu, ram, disk } = overcommit;
  return {
    cpu: Math.floor(node.cpu * cpu) - node.cpuAllocated,
    ramMb: Math.floor(node.ramMb * ram) - node.ramAllocatedMb,
    diskGb: Math.floor(node.diskGb * disk) - node.diskAllocatedGb,
  };
}

/**
 * The first reason why a node can't be chosen, if there is one. Whatever the overcommitment, a server gets no more of a
 * resource than its node has.
 */
export function exclusionOf(
  node: NodeRoom,
  demand: Demand,
  overcommit: Overcommit,
): Exclusion | undefined {
  if (node.id === demand.currentNodeId) return 'current';
  if (node.status === 'offline') return 'offline';
  if (node.evacuated) return 'evacuated';
  if (node.cordoned) return 'cordoned';
  return lackOf(node, demand, demand, overcommit);
}

type Size = Pick<Demand, 'cpu' | 'ramMb' | 'diskGb'>;

/**
 * The first resource that a node lacks for a server of that size, which needs `more` than is allocated to it there. A
 * resource of which it needs no more is not lacking.
 */
export function lackOf(
  node: NodeRoom,
  size: Size,
  more: Size,
  overcommit: Overcommit,
): 'ram' | 'disk' | 'cpu' | undefined {
  const free = freeOf(node, overcommit);
  const lacks = (of: keyof Size) => more[of] > 0 && (more[of] > free[of] || size[of] > node[of]);
  if (lacks('ramMb')) return 'ram';
  if (lacks('diskGb')) return 'disk';
  if (lacks('cpu')) return 'cpu';
  return undefined;
}

/** A node that can be chosen. */
export interface Candidate {
  node: NodeRoom;
  free: ReturnType<typeof freeOf>;
  /** Servers of the same group in its failure domain, itself included, and on it. */
  groupInDomain: number;
  groupOnNode: number;
}

/**
 * The criteria in order: the first that differs decides, and less is better. `after` says why a
 * node ranks below the chosen one.
 */
const criteria: { of(one: Candidate): number; after(one: Candidate): string }[] = [
  {
    of: (one) => one.groupInDomain,
    after: (one) =>
      `more of the group in its failure domain ${one.node.failureDomain}: ${one.groupInDomain}`,
  },
  { of: (one) => one.groupOnNode, after: (one) => `more of the group on it: ${one.groupOnNode}` },
  { of: (one) => -one.free.ramMb, after: (one) => `less memory free: ${one.free.ramMb} MiB` },
  {
    of: (one) => -one.free.diskGb,
    after: (one) => `as much memory, and less disk free: ${one.free.diskGb} GiB`,
  },
  {
    of: (one) => -one.free.cpu,
    after: (one) => `as much memory and disk, and fewer cores free: ${one.free.cpu}`,
  },
  { of: (one) => one.node.id, after: () => 'as much free, and known for less long' },
];

function compare(one: Candidate, other: Candidate): number {
  for (const { of } of criteria) {
    const difference = of(one) - of(other);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Why a node ranks below the chosen one. */
export function whyAfter(chosen: Candidate, one: Candidate): string {
  const decides = criteria.find(({ of }) => of(chosen) !== of(one));
  return decides ? decides.after(one) : 'the same node';
}

export interface Ranking {
  /** The best one first. */
  candidates: Candidate[];
  /** How many nodes are excluded, by the first reason that applies. */
  excluded: Partial<Record<Exclusion, number>>;
}

/**
 * Ranks the nodes for a server. It is a pure function, so that it can be tested exhaustively.
 * @param group how many servers of its group each node has, by the node's id
 */
export function rank(
  nodes: readonly NodeRoom[],
  demand: Demand,
  overcommit: Overcommit,
  group: ReadonlyMap<number, number>,
): Ranking {
  const byDomain = new Map<string, number>();
  for (const { id, failureDomain } of nodes) {
    byDomain.set(failureDomain, (byDomain.get(failureDomain) ?? 0) + (group.get(id) ?? 0));
  }
  const excluded: Ranking['excluded'] = {};
  const candidates: Candidate[] = [];
  for (const node of nodes) {
    const reason = exclusionOf(node, demand, overcommit);
    if (reason) excluded[reason] = (excluded[reason] ?? 0) + 1;
    else
      candidates.push({
        node,
        free: freeOf(node, overcommit),
        groupInDomain: byDomain.get(node.failureDomain) ?? 0,
        groupOnNode: group.get(node.id) ?? 0,
      });
  }
  return { candidates: candidates.sort(compare), excluded };
}
