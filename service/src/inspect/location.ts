import { networkPolicyView } from '../locations/view.ts';
import { unbounded } from '../network-policy/others.ts';
import type { InspectedLocation } from './queries.ts';
import { fromNow } from './view.ts';

/**
 * What the records say about a location, and about the problems between its servers and its nodes.
 */
export function locationFacts({ nodes, ...row }: InspectedLocation): [string, string][] {
  const { status, reason, since } = networkPolicyView(row);
  return [
    ['location', `${row.id} ${row.name}`],
    ['in Incus', `project ${row.incus_project}, pool ${row.storage_pool}, network ${row.network}`],
    [
      'reachable',
      row.isReachable ? 'yes' : `no: ${row.unreachable_reason ?? 'no service watches it'}`,
    ],
    ['rules', `${status} since ${since}${reason === null ? '' : `: ${reason}`}`],
    ['IPv6', ipv6Facts(row)],
    ...nodes.map((node): [string, string] => [`node ${node.name}`, nodeFacts(node)]),
  ];
}

type Row = Omit<InspectedLocation, 'nodes'>;

function ipv6Facts({ network, network_kind, ipv6_open_for: others }: Row): string {
  if (network_kind !== 'bridge') return 'not restricted by Berth on this kind of network';
  if (others === null) return 'not checked yet';
  if (others.length > 0) return `not restricted. ${unbounded(network, others)}`;
  return 'restricted: only the addresses of servers, and the next free one, can be reached from outside';
}

function nodeFacts({ status, addresses, read_in }: InspectedLocation['nodes'][number]): string {
  if (addresses === null) return `${status}, its addresses are not known`;
  return `${status}, ${addresses.length} addresses closed to servers, all read ${fromNow(read_in)}`;
}
