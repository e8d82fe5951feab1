import { networkInterfaces } from 'node:os';
import type { Queryable } from '../db/connection.ts';
import { familyOf, includes, rangeOf } from './ranges.ts';
import { enterAddresses } from './service-address-queries.ts';
import { internet } from './special-use.ts';

/** Whether an address is one of the Internet, of which each is there once. */
export const isPublic = (ip: string) => includes(internet[familyOf(ip)], rangeOf(ip));

/**
 * Enters the public addresses of the machine that this service runs on, which no server of any location is to
 * reach. What a cloud or router translates to it can't be seen here.
 */
export async function enterServiceAddresses(
  db: Queryable,
  interfaces = networkInterfaces(),
): Promise<void> {
  const all = Object.values(interfaces).flatMap((found) => found ?? []);
  const addresses = all.filter(({ internal }) => !internal).map(({ address }) => address);
  await enterAddresses(db, [...new Set(addresses)].filter(isPublic));
}
