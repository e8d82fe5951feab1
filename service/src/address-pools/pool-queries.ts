import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queryable, Trx } from '../db/connection.ts';
import { hasAnyOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { NetworkKind } from '../db/schema/schema.ts';

function shownPools(db: Queryable) {
  return db
    .selectFrom('address_pools as pool')
    .select(['pool.id', 'pool.location_id', 'pool.enabled'])
    .select(sql<string>`pool.cidr::text`.as('cidr'))
    .select(sql<string>`host(pool.gateway)`.as('gateway'))
    .select(sql<string[]>`array(select host(n) from unnest(pool.nameservers) n)`.as('nameservers'))
    .select(sql<string>`host(pool.first)`.as('first'))
    .select(sql<string>`host(pool.last)`.as('last'))
    .select(sql<number>`(select count(*) from addresses where pool_id = pool.id)`.as('held'))
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('reserved_addresses as reserved')
          .innerJoin('unknown_instances as instance', 'instance.id', 'reserved.instance_id')
          .select([sql<string>`host(reserved.ip)`.as('ip'), 'instance.name as instance'])
          .whereRef('reserved.pool_id', '=', 'pool.id')
          .orderBy('reserved.ip'),
      ).as('reserved'),
    );
}

export type PoolRow = NonNullable<Awaited<ReturnType<typeof findPool>>>;

/** Pools of a location, ordered by id. */
export function listPools(
  db: Queryable,
  { location_id }: { location_id?: number[] | undefined },
): Listing<PoolRow> {
  const query = shownPools(db).where(hasAnyOf({ 'pool.location_id': location_id }));
  return listing(query, { id: 'pool.id' });
}

export async function findPool(db: Queryable, id: number) {
  return await shownPools(db).where('pool.id', '=', id).executeTakeFirst();
}

/** Locks the pool, so that none of its addresses is assigned until the transaction ends. */
export async function lockPool(trx: Trx, id: number): Promise<void> {
  await trx.selectFrom('address_pools').select('id').where('id', '=', id).forUpdate().execute();
}

/** A subnet with its bounds, which are addresses that PostgreSQL can parse. */
export interface Subnet {
  cidr: string;
  gateway: string;
  first: string | null;
  last: string | null;
}

export interface SubnetFacts {
  /** The subnet in canonical form, without host bits. */
  network: string;
  first: string;
  last: string;
  gatewayIsWithin: boolean;
  firstIsWithin: boolean;
  lastIsWithin: boolean;
  isInOrder: boolean;
  /** A pool that shares addresses with it. */
  overlaps: { id: number; cidr: string; first: string; last: string } | null;
}

/** The network of a pool, with its subnets of the address family of the pool. */
export interface PoolNetwork {
  name: string;
  kind: NetworkKind;
  /** Subnets of the pool's family; null if they are not known. */
  subnets: string[] | null;
  /** Whether one of them contains all addresses of the pool. */
  isWithin: boolean;
}

/** The network of a location, for a pool with this subnet. */
export async function networkOfPool(
  trx: Trx,
  locationId: number,
  cidr: string,
): Promise<PoolNetwork> {
  const { rows } = await sql<PoolNetwork>`
    select network as name, network_kind as kind,
      case when network_subnets is not null then array(
        select subnet::text from unnest(network_subnets) subnet
        where family(subnet) = family(${cidr}::inet)
      ) end as subnets,
      coalesce(network(${cidr}::inet) <<= any(network_subnets), false) as "isWithin"
    from locations where id = ${locationId}`.execute(trx);
  const [network] = rows;
  if (!network) throw new Error(`There is no location ${locationId}.`);
  return network;
}

/** The parsed subnet, and the pool that overlaps it. */
export async function subnetFacts(trx: Trx, subnet: Subnet): Promise<SubnetFacts> {
  const { rows } = await sql<SubnetFacts>`
    with given as (
      select network(${subnet.cidr}::inet) as net, ${subnet.gateway}::inet as gateway,
        ${subnet.first}::inet as first, ${subnet.last}::inet as last
    ), bounds as (
      select net, gateway, coalesce(first, host(net)::inet + 1) as first,
        coalesce(last, host(broadcast(net))::inet - 1) as last
      from given
    )
    select net::text as network, host(first) as first, host(last) as last,
      gateway << net as "gatewayIsWithin", first << net as "firstIsWithin",
      last << net as "lastIsWithin", first <= last as "isInOrder",
      (select json_build_object('id', id, 'cidr', cidr::text, 'first', host(pool.first), 'last', host(pool.last))
        from address_pools pool where cidr && net order by id limit 1) as overlaps
    from bounds`.execute(trx);
  // The parameters are one row.
  const [facts] = rows as [SubnetFacts];
  return facts;
}

/** Serialises adding pools, so that no two overlap. */
export async function lockPoolsForAdding(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('address pools', 0))`.execute(trx);
}

export interface NewPool extends Subnet {
  locationId: number;
  nameservers: string[];
  first: string;
  last: string;
  enabled: boolean;
}

export async function insertAdministratorsPool(trx: Trx, pool: NewPool): Promise<number> {
  const { locationId, ...values } = pool;
  const { id } = await trx
    .insertInto('address_pools')
    .values({ ...values, location_id: locationId, is_of_network: false })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function setPoolEnabled(trx: Trx, id: number, enabled: boolean): Promise<void> {
  await trx.updateTable('address_pools').set({ enabled }).where('id', '=', id).execute();
}

export async function deletePool(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('address_pools').where('id', '=', id).execute();
}
