import { type Family, type Ranges, rangesOf, without } from './ranges.ts';

/**
 * What is not reached on the Internet, or is not what it seems there: "Globally Reachable" is false in
 * IANA's registries of special-purpose addresses (RFC 6890), group addresses, and what clouds tell their machines.
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's machines find there what tells of them and holds their keys ("What is IP address 168.63.129.16?").
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

/** Of 2000::/3, the only part of IPv6 that is given out (IANA, "Global Unicast Address Assignments"). */
const specialIpv6 = [
  // For protocols, Teredo among them, which carries IPv4 to whomever.
  '2001::/23',
  '2001:db8::/32',
  // 6to4 does, too.
  '2002::/16',
  '3fff::/20',
];

/** All addresses of the Internet. */
export const internet: Readonly<Record<Family, Ranges>> = {
  4: without(rangesOf(['0.0.0.0/0'], 4), rangesOf(specialIpv4, 4)),
  6: without(rangesOf(['2000::/3'], 6), rangesOf(specialIpv6, 6)),
};
