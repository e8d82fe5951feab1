import type { Trx } from '../db/connection.ts';
import { Problem } from '../problem.ts';
import { lockOnlineNodes, type NodeRoom } from './queries.ts';

/** What a server asks of a node. */
export interface Demand {
  cpu: number;
  ramMb: number;
}

/**
 * The online node of a location with the most free memory, which stays locked until the
 * transaction ends. Memory is given once; cores are shared, but none gets more than the node has.
 */
export async function placeServer(trx: Trx, locationId: number, demand: Demand): Promise<NodeRoom> {
  const nodes = await lockOnlineNodes(trx, locationId);
  const best = mostRoom(nodes, demand);
  if (!best) throw new Problem('no_capacity', noRoom(nodes, demand));
  return best;
}

/** Pure, so that it can be checked for every case: ties go to the node known the longest. */
export function mostRoom(nodes: readonly NodeRoom[], demand: Demand): NodeRoom | undefined {
  return nodes
    .filter((node) => node.cpu >= demand.cpu && freeRam(node) >= demand.ramMb)
    .sort((a, b) => freeRam(b) - freeRam(a) || a.id - b.id)[0];
}

function freeRam(node: NodeRoom): number {
  return node.ramMb - node.ramAllocatedMb;
}

function noRoom(nodes: readonly NodeRoom[], demand: Demand): string {
  if (nodes.length === 0) return 'No node of this location is online. Try again later.';
  // What is free would tell a tenant what others use.
  const cpu = Math.max(...nodes.map((node) => node.cpu));
  const ram = Math.max(...nodes.map((node) => node.ramMb));
  const hasCores = nodes.some((node) => node.cpu >= demand.cpu);
  const hasRam = nodes.some((node) => freeRam(node) >= demand.ramMb);
  const lacking = hasCores === hasRam ? 'cores and memory' : hasCores ? 'memory' : 'cores';
  return (
    `No node of this location has room for ${demand.cpu} cores and ${demand.ramMb} MB of memory: ` +
    `there is too little of ${lacking}. The largest have ${cpu} cores and ${ram} MB in all. ` +
    'Ask for less, or choose another location.'
  );
}
