import { type Family, type Ranges, rangesOf, without } from './ranges.ts';

/**
 * Addresses that are not on the Internet, or are special there: "Globally Reachable" is false in
 * IANA's registries of special-purpose addresses (RFC 6890), multicast, and metadata services of
 * clouds.
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure provides metadata and keys of machines there ("What is IP address 168.63.129.16?").
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * The exceptions in 2000::/3, the only allocated part of IPv6 (IANA, "Global Unicast Address
 * Assignments").
 */
const specialIpv6 = [
  // Protocol assignments, including Teredo, which tunnels IPv4.
  '2001::/23',
  '2001:db8::/32',
  // 6to4 tunnels IPv4, too.
  '2002::/16',
  '3fff::/20',
];

/** All addresses of the Internet. */
export const internet: Readonly<Record<Family, Ranges>> = {
  4: without(rangesOf(['0.0.0.0/0'], 4), rangesOf(specialIpv4, 4)),
  6: without(rangesOf(['2000::/3'], 6), rangesOf(specialIpv6, 6)),
};
