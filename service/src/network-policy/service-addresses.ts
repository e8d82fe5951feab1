import { networkInterfaces } from 'node:os';
import type { Queryable } from '../db/connection.ts';
import { familyOf, includes, rangeOf } from './ranges.ts';
import { recordAddresses } from './service-address-queries.ts';
import { internet } from './special-use.ts';

/** Whether an address is globally unique. */
export const isPublic = (ip: string) => includes(internet[familyOf(ip)], rangeOf(ip));

/**
 * Records the public addresses of this service's machine, which servers of any location must not
 * reach. Addresses that a cloud or router translates to it are unknown here.
 */
export async function recordServiceAddresses(
  db: Queryable,
  interfaces = networkInterfaces(),
): Promise<void> {
  const all = Object.values(interfaces).flatMap((found) => found ?? []);
  const addresses = all.filter(({ internal }) => !internal).map(({ address }) => address);
  await recordAddresses(db, [...new Set(addresses)].filter(isPublic));
}
