import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { emailKey } from '../lib/email.ts';

/** The key of a token's buckets, the same in all services. It can't be used to authenticate. */
export function tokenKey(hash: Buffer): string {
  return hash.toString('base64url', 0, 12);
}

/** The key of the buckets of a user, whatever address they come from. */
export function userKey(userId: number): string {
  return `user ${userId}`;
}

/**
 * The key of the buckets of an address: of its /64 for IPv6, since one customer has all of a /64.
 */
export function addressKey(address: string): string {
  return prefixKey(address, 64);
}

/** The key of the network that one customer of a provider may have: a /48 for IPv6. */
export function networkKey(address: string): string {
  return prefixKey(address, 48);
}

/** The key of a block that roughly belongs to one provider: a /16 for IPv4, a /32 for IPv6. */
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

/**
 * The key of attempts to sign in with an email address, whether or not a user has it. `from` is the
 * key of a network.
 */
export function accountKey(email: string, from = ''): string {
  const hash = createHash('sha256')
    .update(`${emailKey(email)} ${from}`)
    .digest();
  return tokenKey(hash);
}
