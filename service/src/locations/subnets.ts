import ipaddr from 'ipaddr.js';
import { SetupError } from '../../../setup/commands.mjs';

/** A range of addresses for servers, from `first` to `last`, without the gateway. */
export interface Subnet {
  cidr: string;
  gateway: string;
  nameservers: string[];
  first: string;
  last: string;
}

/** `10.84.1.1/24` → the rest of its subnet, with the bridge as gateway and name server. */
export function ipv4Pool(bridge: string): Subnet {
  const [gateway, length] = ipaddr.IPv4.parseCIDR(bridge);
  const network = ipaddr.IPv4.networkAddressFromCIDR(bridge);
  const broadcast = ipaddr.IPv4.broadcastAddressFromCIDR(bridge);
  return {
    cidr: `${network}/${length}`,
    gateway: gateway.toString(),
    nameservers: [gateway.toString()],
    first: firstAfter(network, gateway),
    last: offset(broadcast, -1),
  };
}

/** `fd42:…::1/64` → its first 2^32 addresses, which are more than will ever be in use. */
export function ipv6Pool(bridge: string): Subnet {
  const [gateway, length] = ipaddr.IPv6.parseCIDR(bridge);
  const network = ipaddr.IPv6.networkAddressFromCIDR(bridge);
  const last = network.toByteArray();
  if (length <= 96) last.fill(0xff, 12);
  else last.splice(0, 16, ...ipaddr.IPv6.broadcastAddressFromCIDR(bridge).toByteArray());
  return {
    cidr: `${network.toRFC5952String()}/${length}`,
    gateway: gateway.toRFC5952String(),
    nameservers: [gateway.toRFC5952String()],
    first: firstAfter(network, gateway),
    last: ipaddr.fromByteArray(last).toString(),
  };
}

/** Most bridges are at the first address of their network. */
function firstAfter(network: ipaddr.IPv4 | ipaddr.IPv6, gateway: ipaddr.IPv4 | ipaddr.IPv6) {
  const first = offset(network, 1);
  return first === gateway.toString() ? offset(network, 2) : first;
}

function offset(address: ipaddr.IPv4 | ipaddr.IPv6, by: number): string {
  const bytes = address.toByteArray();
  for (let at = bytes.length - 1, carry = by; carry !== 0 && at >= 0; at -= 1) {
    const sum = (bytes[at] ?? 0) + carry;
    bytes[at] = ((sum % 256) + 256) % 256;
    carry = Math.floor(sum / 256);
  }
  return ipaddr.fromByteArray(bytes).toString();
}

/** Private ranges (RFC 1918) that are rarely used, as their second bytes and above. */
const candidates = [
  ...Array.from({ length: 128 }, (_, i) => `10.84.${i + 1}.1/24`),
  ...Array.from({ length: 16 }, (_, i) => `172.${16 + i}.84.1/24`),
  ...Array.from({ length: 128 }, (_, i) => `192.168.${127 + i}.1/24`),
];

/**
 * Returns the address of a bridge in a private subnet that does not overlap those of the machine. `auto` of Incus also
 * excludes subnets for which there is a route, which on many networks is all of 10.0.0.0/8.
 * @param taken addresses of the machine with their prefix lengths: `192.168.1.7/24`
 */
export function freeIpv4Subnet(taken: readonly string[]): string {
  const ranges = taken.map((cidr) => ipaddr.IPv4.parseCIDR(cidr));
  const free = candidates.find((candidate) => {
    const [address, length] = ipaddr.IPv4.parseCIDR(candidate);
    return ranges.every(
      ([other, otherLength]) => !address.match(other, Math.min(length, otherLength)),
    );
  });
  if (free) return free;
  throw new SetupError(
    'No private IPv4 subnet is free here.',
    'Create the network in Incus, and set BERTH_LOCAL_NETWORK to its name.',
  );
}
