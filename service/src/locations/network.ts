import type { NetworkKind } from '../db/schema/schema.ts';
import type { Network } from '../incus/networks.ts';
import { ipv4Pool, ipv6Pool, type Subnet } from './subnets.ts';

/** The network of a location's servers. */
export type LocationNetwork =
  | { kind: 'bridge' | 'ovn'; name: string }
  /** A bridge of the hosts, with the tag of the VLAN on it that servers are in. */
  | { kind: 'unmanaged'; name: string; vlan: number | null };

export function networkOf(row: {
  network: string;
  network_kind: NetworkKind;
  vlan: number | null;
}): LocationNetwork {
  const { network: name, network_kind: kind, vlan } = row;
  return kind === 'unmanaged' ? { kind, name, vlan } : { kind, name };
}

/** Converts a network of Incus. Undefined for a kind that servers can't use. */
export function kindOf({
  managed,
  type,
}: Pick<Network, 'managed' | 'type'>): NetworkKind | undefined {
  if (type === 'bridge') return managed ? 'bridge' : 'unmanaged';
  return type === 'ovn' && managed ? 'ovn' : undefined;
}

/** The own subnets of a managed network. IPv6 only if NICs on it can have fixed addresses. */
export function subnetsOf({ type, config }: Pick<Network, 'type' | 'config'>): Subnet[] {
  const { 'ipv4.address': ipv4, 'ipv6.address': ipv6 } = config;
  // On a bridge, the filters of a NIC are sufficient (Incus documentation, "Type: nic").
  const isIpv6Fixed = type === 'bridge' || config['ipv6.dhcp.stateful'] === 'true';
  return [
    ...(isSubnet(ipv4) ? [ipv4Pool(ipv4)] : []),
    ...(isSubnet(ipv6) && isIpv6Fixed ? [ipv6Pool(ipv6)] : []),
  ];
}

function isSubnet(address: string | undefined): address is string {
  return address !== undefined && address !== '' && address !== 'none';
}
