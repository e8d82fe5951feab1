import {
  type Family,
  familyOf,
  includes,
  type Ranges,
  rangeOf,
  rangesOf,
} from '../network-policy/ranges.ts';
import { isPublic } from '../network-policy/service-addresses.ts';

/** Why nothing may be sent to an address; undefined if it may. */
export type CheckAddress = (address: string) => string | undefined;

interface Networks {
  /** What the installation allows, whatever else is said of it. */
  allowed: readonly string[];
  /** Those of the installation itself. */
  own?: readonly string[];
}

/**
 * Only addresses of the Internet may be reached. There is no list of what is forbidden, which could be incomplete:
 * loopback, private and link-local addresses, those of metadata services, and all forms in which IPv6 holds an IPv4
 * address (mapped, NAT64, 6to4, Teredo) are not among them.
 */
export function addressCheck({ allowed, own = [] }: Networks): CheckAddress {
  const isAllowed = isAmong(allowed);
  const isOwn = isAmong(own);
  return (address) => {
    if (isAllowed(address)) return undefined;
    if (isOwn(address)) return 'is on an address of this installation';
    return isPublic(address) ? undefined : 'is on an address that is not on the Internet';
  };
}

function isAmong(networks: readonly string[]): (address: string) => boolean {
  const ranges: Record<Family, Ranges> = { 4: rangesOf(networks, 4), 6: rangesOf(networks, 6) };
  return (address) => includes(ranges[familyOf(address)], rangeOf(address));
}
