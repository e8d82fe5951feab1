import { sql } from 'kysely';
import { arrayOf } from '../db/arrays.ts';
import type { Queryable, Trx } from '../db/connection.ts';

/** An instance in the project of a location that belongs to no server. */
export interface UnknownInstance {
  name: string;
  /** Whether it has the label of this installation. */
  isOurs: boolean;
  /**
   * The addresses that its NICs can use; null if its node does not answer, so that the known ones are kept.
   */
  addresses: string[] | null;
}

/** What differs from the previous time. */
export interface UnknownChanges {
  found: string[];
  gone: { name: string; isOurs: boolean }[];
}

/** Returns those of these UUIDs that belong to no server, or to a deleted one. */
export async function withoutServer(db: Queryable, uuids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ uuid: string }>`
    select wanted.uuid from unnest(${arrayOf(uuids)}::uuid[]) as wanted (uuid)
    where not exists (
      select from servers where servers.uuid = wanted.uuid and servers.deleted_at is null
    )`.execute(db);
  return new Set(rows.map(({ uuid }) => uuid));
}

/**
 * Records the instances of a location that belong to no server, and reserves their addresses in its
 * pools. Once the addresses of all of them are known, the location accepts creates again after an
 * import. Returns which are new, and which are gone.
 */
export async function enterUnknownInstances(
  trx: Trx,
  locationId: number,
  unknown: UnknownInstance[],
): Promise<UnknownChanges> {
  const seen = sql`jsonb_to_recordset(${JSON.stringify(unknown)}::jsonb)
    as seen (name text, "isOurs" boolean, addresses text[])`;
  const known = await trx
    .selectFrom('unknown_instances')
    .select('name')
    .where('location_id', '=', locationId)
    .execute();
  const { rows: gone } = await sql<{ name: string; isOurs: boolean }>`
    delete from unknown_instances
    where location_id = ${locationId} and name <> all(select name from ${seen})
    returning name, is_ours as "isOurs"`.execute(trx);
  await sql`
    insert into unknown_instances (location_id, name, is_ours)
    select ${locationId}, name, "isOurs" from ${seen}
    on conflict (location_id, name) do update set is_ours = excluded.is_ours
      where unknown_instances.is_ours <> excluded.is_ours`.execute(trx);
  await sql`
    delete from reserved_addresses held using unknown_instances instance, ${seen}
    where instance.id = held.instance_id and instance.location_id = ${locationId}
      and seen.name = instance.name and not host(held.ip) = any(seen.addresses)`.execute(trx);
  await sql`
    insert into reserved_addresses (ip, pool_id, instance_id)
    select address::inet, pool.id, instance.id
    from ${seen}
    join unknown_instances instance on instance.location_id = ${locationId} and instance.name = seen.name
    cross join lateral unnest(seen.addresses) as address
    join address_pools pool on pool.location_id = ${locationId} and address::inet << pool.cidr
    on conflict (ip) do nothing`.execute(trx);
  const before = new Set(known.map(({ name }) => name));
  const found = unknown.map(({ name }) => name).filter((name) => !before.has(name));
  if (unknown.some(({ addresses }) => addresses === null)) return { found, gone };
  await trx
    .updateTable('locations')
    .set({ instances_known: true })
    .where('id', '=', locationId)
    .where('instances_known', '=', false)
    .execute();
  return { found, gone };
}

/** Returns an address of a server that an unknown instance uses, and the name of the instance. */
export async function addressHeldByUnknown(
  db: Queryable,
  serverId: number,
): Promise<{ ip: string; instance: string } | undefined> {
  return await db
    .selectFrom('addresses')
    .innerJoin('reserved_addresses as reserved', 'reserved.ip', 'addresses.ip')
    .innerJoin('unknown_instances as instance', 'instance.id', 'reserved.instance_id')
    .select([sql<string>`host(addresses.ip)`.as('ip'), 'instance.name as instance'])
    .where('addresses.server_id', '=', serverId)
    .executeTakeFirst();
}

/** The number of instances of a location that have our label but no server. */
export async function countUnknownInstances(db: Queryable, locationId: number): Promise<number> {
  const { count } = await db
    .selectFrom('unknown_instances')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('location_id', '=', locationId)
    .where('is_ours', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}
