import type { Queryable, Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { Exclusion, Placement } from '../db/schema/schema.ts';
import { counted } from '../lib/counted.ts';
import type { LocationRow } from '../locations/queries.ts';
import { Problem } from '../problems/problem.ts';
import {
  type Candidate,
  type Demand,
  exclusionOf,
  lackOf,
  type Overcommit,
  rank,
  whyAfter,
} from './choice.ts';
import { groupByNode, lockNodeIf, type NodeRoom, roomOfNodes } from './room-queries.ts';

/** The attempts: a chosen node may be full when it is locked, and then another one is chosen. */
const maxAttempts = 10;
/** The number of other nodes in the result. */
const shownOthers = 3;

export interface Wanted extends Demand {
  /** The anti-affinity group, whose servers are spread. */
  group: string | null;
}

/** The settings of a location that affect placement. */
export type PlacementRules = Pick<
  LocationRow,
  'id' | 'overcommit_cpu' | 'overcommit_ram' | 'overcommit_disk'
>;

/**
 * Chooses a node, and locks it until the transaction ends, so that nobody else can take the
 * capacity. The choice itself takes no locks, so that creates on other nodes are not delayed. Lock
 * address pools and the project first: a delete locks the project and then the node.
 */
export async function placeServer(
  trx: Trx,
  project: Project,
  location: PlacementRules,
  wanted: Wanted,
): Promise<{ nodeId: number; placement: Placement }> {
  const overcommit = overcommitOf(location);
  const hasRoom = (node: NodeRoom) => exclusionOf(node, wanted, overcommit) === undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const nodes = await roomOfNodes(trx, location.id);
    const group = wanted.group
      ? await groupByNode(project, location.id, wanted.group)
      : new Map<number, number>();
    // The server does not count as its own neighbour.
    const { currentNodeId: current = 0 } = wanted;
    const onCurrent = group.get(current);
    if (onCurrent) group.set(current, onCurrent - 1);
    const { chosen, others, excluded } = choose(nodes, wanted, overcommit, group);
    const nodeId = chosen.node.id;
    if (!(await lockNodeIf(trx, nodeId, hasRoom))) continue;
    const reason = whyChosen(chosen, others.length + 1, wanted.group);
    const shown = others.slice(0, shownOthers).map((one) => {
      return { node: one.node.name, reason: whyAfter(chosen, one) };
    });
    const { name: node } = chosen.node;
    const placement = { node, reason, nodes: nodes.length, excluded, others: shown };
    return { nodeId, placement };
  }
  const detail = 'Other requests took the capacity of each node that was chosen. Try again.';
  throw new Problem('unavailable', detail, { retryAfter: 1 });
}

/**
 * Throws `no_capacity` if no node of the location has room at the moment. Takes no lock, so this is only an early answer.
 */
export async function requireRoom(
  db: Queryable,
  location: PlacementRules,
  wanted: Demand,
): Promise<void> {
  // A group only changes which of the nodes with room is the best.
  choose(await roomOfNodes(db, location.id), wanted, overcommitOf(location), new Map());
}

/** The best node, and the others with room in their order. Throws `no_capacity` if none has room. */
function choose(
  nodes: readonly NodeRoom[],
  wanted: Demand,
  overcommit: Overcommit,
  group: ReadonlyMap<number, number>,
) {
  const { candidates, excluded } = rank(nodes, wanted, overcommit, group);
  const [chosen, ...others] = candidates;
  if (!chosen) throw noCapacity(nodes, wanted, excluded);
  return { chosen, others, excluded };
}

/** Chooses this node, and locks it. Throws with the reason if that is impossible. */
export async function placeOnNode(
  trx: Trx,
  location: PlacementRules,
  node: { id: number; name: string },
  wanted: Demand,
): Promise<void> {
  const overcommit = overcommitOf(location);
  let reason: Exclusion | undefined;
  const fits = (room: NodeRoom) => {
    reason = exclusionOf(room, wanted, overcommit);
    return reason === undefined;
  };
  if (await lockNodeIf(trx, node.id, fits)) return;
  const excluded = { [reason ?? 'offline']: 1 };
  const lacking = Object.keys(excluded).filter(isLack);
  const detail = `The node ${node.name} can't take the server: it ${words[reason ?? 'offline'][0]}.`;
  throw new Problem('no_capacity', detail, { members: { lacking, nodes: 1, excluded } });
}

/** The cores, MiB and GiB of a server. */
type Size = Pick<Demand, 'cpu' | 'ramMb' | 'diskGb'>;

/**
 * Locks the node of a server if it has room for `more` of it, so that it has `size` there. Otherwise returns what the node
 * lacks. It may be cordoned: the server is there already.
 */
export async function growOnNode(
  trx: Trx,
  location: PlacementRules,
  nodeId: number,
  { size, more }: { size: Size; more: Size },
): Promise<Exclusion | undefined> {
  const overcommit = overcommitOf(location);
  let lack: Exclusion | undefined = 'offline';
  const fits = (room: NodeRoom) => {
    lack = lackOf(room, size, more, overcommit);
    return lack === undefined;
  };
  await lockNodeIf(trx, nodeId, fits);
  return lack;
}

/** The error if the node of a server has no room for more of it. `advice` is a sentence. */
export function noRoomToGrow(node: string, lack: Exclusion, advice: string): Problem {
  const detail = `The node ${node} has no room for the new size of the server: it ${words[lack][0]}. ${advice}`;
  const excluded = { [lack]: 1 };
  const members = { lacking: Object.keys(excluded).filter(isLack), nodes: 1, excluded };
  return new Problem('no_capacity', detail, { members });
}

function overcommitOf(location: PlacementRules) {
  return {
    cpu: location.overcommit_cpu,
    ram: location.overcommit_ram,
    disk: location.overcommit_disk,
  };
}

/** Has no amounts, because free resources would show a tenant what others use. Administrators see `others`. */
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

/** The texts for one node, and for several. */
const words: Record<Exclusion, readonly [one: string, many: string]> = {
  current: ['has the server already', 'have the server already'],
  offline: ['is offline', 'are offline'],
  evacuated: ['is evacuated', 'are evacuated'],
  cordoned: ['is cordoned', 'are cordoned'],
  ram: ['lacks memory', 'lack memory'],
  disk: ['lacks disk', 'lack disk'],
  cpu: ['lacks cores', 'lack cores'],
};

const isLack = (reason: string) => reason === 'ram' || reason === 'disk' || reason === 'cpu';

function noCapacity(
  nodes: readonly NodeRoom[],
  wanted: Demand,
  excluded: Placement['excluded'],
): Problem {
  const reasons = Object.keys(words).filter((reason) => excluded[reason as Exclusion]);
  const lacking = reasons.filter(isLack);
  const why = reasonsInWords(excluded, nodes.length);
  const size = `${counted(wanted.cpu, 'core')}, ${wanted.ramMb} MiB, ${wanted.diskGb} GiB`;
  const detail =
    lacking.length > 0
      ? `No node has room for ${size}: ${why}. ${largest(nodes)} Ask for less, or choose another location.`
      : `No node of this location takes servers: ${why}. Try again later.`;
  return new Problem('no_capacity', detail, {
    members: { lacking, nodes: nodes.length, excluded },
  });
}

/** "1 of 2 nodes is offline, 1 lacks disk" */
function reasonsInWords(excluded: Placement['excluded'], nodes: number): string {
  if (nodes === 0) return 'it has none';
  const reasons = Object.keys(words) as Exclusion[];
  const parts = reasons.flatMap((reason) => {
    const count = excluded[reason];
    return count ? [{ count, verb: words[reason][count === 1 ? 0 : 1] }] : [];
  });
  const inWords = parts.map(({ count, verb }, at) =>
    at === 0 ? `${count} of ${nodes} nodes ${verb}` : `${count} ${verb}`,
  );
  return inWords.join(', ');
}

/** Does not reveal the free resources, for the same reason. */
function largest(nodes: readonly NodeRoom[]): string {
  const most = (of: (node: NodeRoom) => number) => Math.max(...nodes.map(of));
  const [cpu, ram, disk] = [most((n) => n.cpu), most((n) => n.ramMb), most((n) => n.diskGb)];
  const all = `${counted(cpu, 'core')}, ${ram} MiB and ${disk} GiB`;
  return `The largest node has ${all} in all, including what its servers already have.`;
}
