import ipaddr from 'ipaddr.js';

/** By what a token's buckets are found, also by other services. Nothing can be done with it. */
export function tokenKey(hash: Buffer): string {
  return hash.toString('base64url', 0, 12);
}

/** By what somebody who signed in is counted, wherever they are. */
export function userKey(userId: number): string {
  return `user ${userId}`;
}

/** By what an address is counted: of IPv6 its /64, since anyone who has one has all of it. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts.map((part) => part.toString(16));
  return `${a}:${b}:${c}:${d}::/64`;
}
