import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database } from '../db/schema/schema.ts';

export type AddressPool = Selectable<Database['address_pools']> & {
  family: 4 | 6;
  /** The address after the last assigned one, if the pool has it. */
  next: string | null;
};

/**
 * All pools of a location, enabled or not, locked until the transaction ends, so that addresses are assigned one after
 * the other, and the location is not removed.
 */
export async function lockPools(trx: Trx, locationId: number): Promise<AddressPool[]> {
  return await poolsOf(trx, locationId).forUpdate().execute();
}

/** Whether the address after the last assigned one can be assigned; null if none was assigned yet. */
const isNextFree = sql<boolean | null>`last_taken < last
  and last_taken + 1 <> all(array[host(gateway)::inet, host(broadcast(cidr))::inet])
  and not exists (select from addresses where ip = last_taken + 1)
  and not exists (select from reserved_addresses where ip = last_taken + 1)`;

/** The same pools without a lock. */
export async function readPools(
  db: Queryable,
  locationId: number,
): Promise<(AddressPool & { isNextFree: boolean | null })[]> {
  return await poolsOf(db, locationId).select(isNextFree.as('isNextFree')).execute();
}

function poolsOf(db: Queryable, locationId: number) {
  return db
    .selectFrom('address_pools')
    .selectAll()
    .select(sql<4 | 6>`family(cidr)`.as('family'))
    .select(
      sql<string | null>`case when last_taken < last then host(last_taken + 1) end`.as('next'),
    )
    .where('location_id', '=', locationId)
    .orderBy('id');
}

/**
 * The first free address of a pool after the last assigned one, or else from its beginning. Undefined if all are in
 * use. It stays free only under the pool's lock.
 */
export async function findFreeAddress(
  db: Queryable,
  pool: AddressPool,
): Promise<string | undefined> {
  for (const start of [pool.next, pool.first]) {
    const { rows } = await freeFrom(pool, start).execute(db);
    const [{ ip }] = rows as [{ ip: string | null }];
    if (ip) return ip;
  }
  return undefined;
}

/**
 * The lowest free address from `start` on: `start` itself, or the one after an address that a server, an instance
 * without a server or a reservation uses. Addresses in use are read only if `start` is not free, and only up to the
 * first gap.
 */
export function freeFrom(
  pool: AddressPool,
  from: string | null,
): RawBuilder<{ ip: string | null }> {
  const start = sql`${from}::inet`;
  const [after, candidate] = [sql`held.ip + 1`, sql`candidate`];
  const isFree = (ip: RawBuilder<unknown>) => sql`(not ${ip} = any(${reserved(pool)})
    and not exists (select from addresses where ip = ${ip})
    and not exists (select from reserved_addresses where ip = ${ip}))`;
  const isBeforeLast = sql`ip >= ${start} and ip < ${pool.last}::inet`;
  return sql`select host(coalesce(
    (select ${start} where ${start} <= ${pool.last}::inet and ${isFree(start)}),
    (select min(candidate) from (
      (select ${after} as candidate from addresses held
       where pool_id = ${pool.id} and ${isBeforeLast} and ${isFree(after)} order by ip limit 1)
      union all
      (select ${after} from reserved_addresses held
       where pool_id = ${pool.id} and ${isBeforeLast} and ${isFree(after)} order by ip limit 1)
      union all
      (select ip + 1 from unnest(${reserved(pool)}) ip where ${isBeforeLast})
    ) candidates where ${isFree(candidate)})
  )) as ip`;
}

/**
 * Addresses that are never assigned: the gateway, the subnet's own address (for IPv6: RFC 4291,
 * 2.6.1), and the broadcast address of IPv4.
 */
function reserved({ cidr, gateway, family }: AddressPool): RawBuilder<unknown> {
  const edges = family === 4 ? [sql`network`, sql`broadcast`] : [sql`network`];
  const addresses = edges.map((edge) => sql`host(${edge}(${cidr}::inet))::inet`);
  return sql`array[host(${gateway}::inet)::inet, ${sql.join(addresses)}]`;
}

/** An address that is in a pool of a location. */
interface PooledAddress {
  /** As it was given. */
  wanted: string;
  ip: string;
  poolId: number;
  family: 4 | 6;
  /** The server that has it; null if none has. */
  serverId: number | null;
  /** The instance without a server for which it is reserved; null if it is for none. */
  reservedFor: string | null;
}

/** Those of these addresses that are in pools of a location, in the same order, without gateways. */
export async function findPooled(
  trx: Trx,
  locationId: number,
  ips: string[],
): Promise<PooledAddress[]> {
  const { rows } = await sql<PooledAddress>`
    select wanted.ip as wanted, host(wanted.ip::inet) as ip, pool.id as "poolId", family(pool.cidr) as family,
      held.server_id as "serverId", instance.name as "reservedFor"
    from unnest(${ips}::text[]) with ordinality as wanted (ip, place)
    join address_pools pool on pool.location_id = ${locationId} and wanted.ip::inet << pool.cidr
    left join addresses held on held.ip = wanted.ip::inet
    left join reserved_addresses reserved on reserved.ip = wanted.ip::inet
    left join unknown_instances instance on instance.id = reserved.instance_id
    where wanted.ip::inet <> host(pool.gateway)::inet
    order by wanted.place`.execute(trx);
  return rows;
}

/** Assigns addresses of different pools to a server. `UNIQUE (ip)` prevents one from being assigned twice. */
export async function holdAddresses(
  trx: Trx,
  serverId: number,
  addresses: readonly { ip: string; poolId: number; isPrimary: boolean }[],
): Promise<void> {
  const ips = addresses.map(({ ip }) => ip);
  const pools = addresses.map(({ poolId }) => poolId);
  const primaries = addresses.map(({ isPrimary }) => isPrimary);
  await sql`
    with held as (
      insert into addresses (ip, pool_id, server_id, is_primary)
      select ip, pool_id, ${serverId}::bigint, is_primary
      from unnest(${ips}::inet[], ${pools}::bigint[], ${primaries}::boolean[])
        as chosen (ip, pool_id, is_primary)
      returning ip, pool_id)
    update address_pools set last_taken = held.ip from held where address_pools.id = held.pool_id`.execute(
    trx,
  );
}

/**
 * Releases the addresses of a server. Call it only after the engine has confirmed that the server's instance is gone.
 */
export async function releaseAddresses(trx: Trx, serverId: number): Promise<void> {
  await trx.deleteFrom('addresses').where('server_id', '=', serverId).execute();
}
