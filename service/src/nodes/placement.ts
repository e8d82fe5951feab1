import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { Exclusion, Placement } from '../db/schema.ts';
import type { LocationRow } from '../locations/queries.ts';
import { Problem } from '../problem.ts';
import { type Candidate, type Demand, exclusionOf, rank, whyAfter } from './choice.ts';
import { groupByNode, lockNodeIf, type NodeRoom, roomOfNodes } from './queries.ts';

/** A node that was chosen may be full by the time that it is locked; then another one is. */
const mostTries = 10;
/** Of the nodes that were not taken, how many are named. */
const shownOthers = 3;

export interface Wanted extends Demand {
  /** Servers of a group are to be apart from each other. */
  group: string | null;
}

/** Of a location: what decides which of its nodes is taken. */
export type PlacementRules = Pick<
  LocationRow,
  'id' | 'overcommit_cpu' | 'overcommit_ram' | 'overcommit_disk'
>;

/**
 * Chooses a node, which stays locked until the transaction ends: nobody else can give away the room
 * that was found. It is chosen among all without any lock, so that creates for other nodes go on. Lock
 * address pools and the project before: a delete locks the project and then the node.
 */
export async function placeServer(
  trx: Trx,
  project: Project,
  location: PlacementRules,
  wanted: Wanted,
): Promise<{ nodeId: number; placement: Placement }> {
  const overcommit = {
    cpu: location.overcommit_cpu,
    ram: location.overcommit_ram,
    disk: location.overcommit_disk,
  };
  const hasRoom = (node: NodeRoom) => exclusionOf(node, wanted, overcommit) === undefined;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const nodes = await roomOfNodes(trx, location.id);
    const group = wanted.group
      ? await groupByNode(project, location.id, wanted.group)
      : new Map<number, number>();
    const { candidates, excluded } = rank(nodes, wanted, overcommit, group);
    const [chosen, ...others] = candidates;
    if (!chosen) throw noCapacity(nodes, wanted, excluded);
    const nodeId = chosen.node.id;
    if (!(await lockNodeIf(trx, nodeId, hasRoom))) continue;
    const reason = whyChosen(chosen, candidates.length, wanted.group);
    const shown = others.slice(0, shownOthers).map((one) => {
      return { node: one.node.name, reason: whyAfter(chosen, one) };
    });
    const { name: node } = chosen.node;
    const placement = { node, reason, nodes: nodes.length, excluded, others: shown };
    return { nodeId, placement };
  }
  const detail = 'Other requests took each node that was chosen. Try again.';
  throw new Problem('unavailable', detail, { retryAfter: 1 });
}

/** Without amounts: what is free tells a tenant what others use. Administrators see `others`. */
function whyChosen(
  { node, groupInDomain, groupOnNode }: Candidate,
  count: number,
  group: string | null,
) {
  const others = count === 1 ? 'The only node with room' : `The best of ${count} nodes with room`;
  if (group === null) return `${others}.`;
  return (
    `${others}: ${groupInDomain} of the group ${group} in its failure domain ` +
    `${node.failureDomain}, ${groupOnNode} of them on it.`
  );
}

const words: Record<Exclusion, string> = {
  offline: 'offline',
  evacuated: 'evacuated',
  cordoned: 'cordoned',
  ram: 'short of memory',
  disk: 'short of disk',
  cpu: 'short of cores',
};

const isLack = (reason: string) => reason === 'ram' || reason === 'disk' || reason === 'cpu';

function noCapacity(
  nodes: readonly NodeRoom[],
  wanted: Wanted,
  excluded: Placement['excluded'],
): Problem {
  const reasons = Object.keys(words).filter((reason) => excluded[reason as Exclusion]);
  const counts = reasons.map((r) => `${words[r as Exclusion]}: ${excluded[r as Exclusion]}`);
  const lacking = reasons.filter(isLack);
  const detail =
    lacking.length > 0
      ? `No node of this location has room for ${wanted.cpu} cores, ${wanted.ramMb} MB of memory and ` +
        `${wanted.diskGb} GB of disk (${counts.join(', ')}; of ${nodes.length}). ` +
        `${largest(nodes)} Ask for less, or choose another location.`
      : `No node of this location takes servers (${counts.join(', ') || 'it has none'}). Try again later.`;
  return new Problem('no_capacity', detail, {
    members: { lacking, nodes: nodes.length, excluded },
  });
}

/** Not what is free of them, for the same reason. */
function largest(nodes: readonly NodeRoom[]): string {
  const most = (of: (node: NodeRoom) => number) => Math.max(...nodes.map(of));
  const [cpu, ram, disk] = [most((n) => n.cpu), most((n) => n.ramMb), most((n) => n.diskGb)];
  return `The largest of each have ${cpu} cores, ${ram} MB and ${disk} GB in all.`;
}
