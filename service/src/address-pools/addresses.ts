import type { Queryable, Trx } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { type AddressPool, findFreeAddress, findPooled, lockPools, readPools } from './queries.ts';

const families = [4, 6] as const;

export interface ChosenAddress {
  ip: string;
  poolId: number;
  isPrimary: boolean;
}

export interface AddressChoice {
  addresses: ChosenAddress[];
  /** Warnings for the customer, as sentences. */
  warnings: string[];
}

/**
 * Chooses an address of each family of which the location has pools: IPv4 first, which is then the primary one. The
 * pools stay locked until the transaction ends. Throws `no_address_left`.
 */
export async function chooseAddresses(trx: Trx, locationId: number): Promise<AddressChoice> {
  const pools = await lockPools(trx, locationId);
  const chosen = await ofEachFamily(pools, (enabled, family) => chooseFrom(trx, enabled, family));
  const addresses = chosen.map((address, place) => ({ ...address, isPrimary: place === 0 }));
  return { addresses, warnings: disabledFamilies(pools) };
}

/**
 * Throws `no_address_left` if `chooseAddresses` would, or returns how many addresses it would choose. Takes no lock, so
 * this is only an early answer.
 */
export async function requireFreeAddresses(db: Queryable, locationId: number): Promise<number> {
  const pools = await readPools(db, locationId);
  const free = await ofEachFamily(pools, async (enabled, family) => {
    // Usually so, and then no search is needed.
    if (enabled.some(({ isNextFree }) => isNextFree)) return true;
    // The first pools fill up first, and a full one takes longest to search.
    return await chooseFrom(db, enabled.toReversed(), family);
  });
  return free.length;
}

/**
 * Calls `choose` with the enabled pools of each family that has some. Throws `no_address_left` if none has.
 */
async function ofEachFamily<P extends AddressPool, C>(
  pools: readonly P[],
  choose: (enabled: P[], family: 4 | 6) => Promise<C>,
): Promise<C[]> {
  const chosen: C[] = [];
  for (const family of families) {
    const enabled = pools.filter((pool) => pool.family === family && pool.enabled);
    if (enabled.length > 0) chosen.push(await choose(enabled, family));
  }
  if (chosen.length === 0) throw noPool(pools.length > 0);
  return chosen;
}

function disabledFamilies(pools: readonly AddressPool[]): string[] {
  return families.flatMap((family) => {
    const ofFamily = pools.filter((pool) => pool.family === family);
    if (ofFamily.length === 0 || ofFamily.some((pool) => pool.enabled)) return [];
    return `All IPv${family} address pools of this location are disabled, so the server has no IPv${family} address.`;
  });
}

interface KeptAddresses {
  addresses: ChosenAddress[];
  /** Those that were not chosen. */
  lost: string[];
  /** The one that somebody else has, and who, as the subject of a sentence. */
  taken: { ip: string; holder: string } | undefined;
}

/**
 * Chooses the first address of each family that an instance without a server has in a pool of the location, enabled or
 * not. `holder` is the unknown instance that may have reserved them. Needs the lock of all pools.
 */
export async function keepAddresses(
  trx: Trx,
  locationId: number,
  { holder: own, ips }: { holder: string | null; ips: string[] },
): Promise<KeptAddresses> {
  const pooled = await findPooled(trx, locationId, ips);
  const kept = families.flatMap((family) => pooled.find((one) => one.family === family) ?? []);
  const taken = kept.flatMap(({ ip, serverId, reservedFor }) => {
    if (serverId !== null) return [{ ip, holder: `The server ${serverId}` }];
    const isOwn = reservedFor === null || reservedFor === own;
    const holder = `The instance ${reservedFor} in the Incus project of the location`;
    return isOwn ? [] : [{ ip, holder }];
  });
  const addresses = kept.map(({ ip, poolId }, place) => ({ ip, poolId, isPrimary: place === 0 }));
  const lost = ips.filter((ip) => kept.every(({ wanted }) => wanted !== ip));
  return { addresses, lost, taken: taken[0] };
}

async function chooseFrom(db: Queryable, pools: readonly AddressPool[], family: 4 | 6) {
  for (const pool of pools) {
    const ip = await findFreeAddress(db, pool);
    if (ip) return { ip, poolId: pool.id };
  }
  throw noneLeft(`Every IPv${family} address of this location is in use.`);
}

function noPool(areDisabled: boolean): Problem {
  const what = areDisabled
    ? 'All address pools of this location are disabled.'
    : 'This location has no address pool.';
  return new Problem(
    'no_address_left',
    `${what} Choose another location, or ask an administrator.`,
  );
}

function noneLeft(what: string): Problem {
  const wayOut = 'Delete a server, choose another location, or ask for a larger address pool.';
  return new Problem('no_address_left', `${what} ${wayOut}`);
}
