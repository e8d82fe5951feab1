import { locationView } from '../locations/view.ts';
import { unbounded } from '../network-policy/others.ts';
import type { InspectedLocation } from './queries.ts';
import { fromNow } from './view.ts';

/**
 * What the records say about a location, and about the problems between its servers and its nodes.
 */
export function locationFacts({ nodes, ...row }: InspectedLocation): [string, string][] {
  const { status, reason, since } = locationView(row).network_policy;
  return [
    ['location', `${row.id} ${row.name}`],
    ['in Incus', `project ${row.incus_project}, pool ${row.storage_pool}, network ${row.network}`],
    ['reachable', row.isReachable ? 'yes' : `no: ${row.unreachable_reason ?? 'nobody watches it'}`],
    ['rules', `${status} since ${since}${reason === null ? '' : `: ${reason}`}`],
    ['IPv6', ipv6Facts(row)],
    ...nodes.map((node): [string, string] => [`node ${node.name}`, nodeFacts(node)]),
  ];
}

type Row = Omit<InspectedLocation, 'nodes'>;

function ipv6Facts({ network, network_kind, ipv6_open_for: others }: Row): string {
  if (network_kind !== 'bridge') return 'open to the outside as the network has it';
  if (others === null) return 'not looked at so far';
  if (others.length > 0) return `not bounded. ${unbounded(network, others)}`;
  return 'bounded: from outside, only the addresses that servers have and the next free one can be reached';
}

function nodeFacts({ status, addresses, read_in }: InspectedLocation['nodes'][number]): string {
  if (addresses === null) return `${status}, its addresses are not known`;
  return `${status}, ${addresses.length} addresses closed to servers, all read ${fromNow(read_in)}`;
}
