import type { Trx } from '../db/connection.ts';
import { Problem } from '../problem.ts';
import { type AddressPool, findFreeAddress, holdAddress, lockPools } from './queries.ts';

export interface ChosenAddress {
  ip: string;
  poolId: number;
  isPrimary: boolean;
}

/**
 * Chooses an address of each family that the location has pools of, IPv4 first, which is then the
 * primary one. The pools stay locked until the transaction ends.
 */
export async function chooseAddresses(trx: Trx, locationId: number): Promise<ChosenAddress[]> {
  const pools = await lockPools(trx, locationId);
  if (pools.length === 0) throw noneLeft('This location has no address pool.');
  const chosen: ChosenAddress[] = [];
  for (const family of [4, 6] as const) {
    const ofFamily = pools.filter((pool) => pool.family === family);
    if (ofFamily.length === 0) continue;
    chosen.push({ ...(await chooseFrom(trx, ofFamily, family)), isPrimary: chosen.length === 0 });
  }
  return chosen;
}

async function chooseFrom(trx: Trx, pools: AddressPool[], family: 4 | 6) {
  for (const pool of pools) {
    const ip = await findFreeAddress(trx, pool);
    if (ip) return { ip, poolId: pool.id };
  }
  throw noneLeft(`Every IPv${family} address of this location is in use.`);
}

function noneLeft(what: string): Problem {
  const wayOut = 'Delete a server, choose another location, or ask for a larger address pool.';
  return new Problem('no_address_left', `${what} ${wayOut}`);
}

export async function holdAddresses(
  trx: Trx,
  serverId: number,
  addresses: ChosenAddress[],
): Promise<void> {
  for (const address of addresses) await holdAddress(trx, { ...address, serverId });
}
