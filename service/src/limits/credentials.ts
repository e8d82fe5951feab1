import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { emailKey } from '../lib/email.ts';

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
  return prefixKey(address, 64);
}

/** By what the addresses that one customer of a provider may have are counted: of IPv6 a /48. */
export function networkKey(address: string): string {
  return prefixKey(address, 48);
}

/** By what the addresses of one provider are roughly counted: of IPv4 a /16, of IPv6 a /32. */
export function blockKey(address: string): string {
  return prefixKey(address, 32, 16);
}

function prefixKey(address: string, bits: 32 | 48 | 64, bitsOfIPv4: 16 | 32 = 32): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed instanceof ipaddr.IPv4) {
    if (bitsOfIPv4 === 32) return parsed.toString();
    return `${parsed.octets.slice(0, 2).join('.')}.0.0/16`;
  }
  const parts = parsed.parts.slice(0, bits / 16);
  return `${parts.map((part) => part.toString(16)).join(':')}::/${bits}`;
}

/** By what tries at an email address are counted, whether anybody has it or not; `from` is a network's key. */
export function accountKey(email: string, from = ''): string {
  const hash = createHash('sha256')
    .update(`${emailKey(email)} ${from}`)
    .digest();
  return tokenKey(hash);
}
