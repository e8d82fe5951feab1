import { type Selectable, sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import type { Database } from '../db/schema.ts';

export type AddressPool = Selectable<Database['address_pools']> & { family: 4 | 6 };

/** A location's pools that are in use, locked until the transaction ends: addresses are taken one after the other. */
export async function lockPools(trx: Trx, locationId: number): Promise<AddressPool[]> {
  return await trx
    .selectFrom('address_pools')
    .selectAll()
    .select(sql<4 | 6>`family(cidr)`.as('family'))
    .where('location_id', '=', locationId)
    .where('enabled', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * The first free address of a pool, looked for from the one after the last taken. Undefined when
 * all are held. Needs the pool's lock.
 */
export async function findFreeAddress(trx: Trx, pool: AddressPool): Promise<string | undefined> {
  const afterLast =
    pool.last_taken && (await firstFreeFrom(trx, pool, sql`${pool.last_taken}::inet + 1`));
  return afterLast || (await firstFreeFrom(trx, pool, sql`${pool.first}::inet`));
}

async function firstFreeFrom(
  trx: Trx,
  pool: AddressPool,
  start: ReturnType<typeof sql>,
): Promise<string | undefined> {
  const { rows } = await sql<{ ip: string }>`
    select host(candidate) as ip from (
      select ${start} as candidate
      union all
      (select ip + 1 from addresses held
       where pool_id = ${pool.id} and ip >= ${start}
         and not exists (select from addresses where ip = held.ip + 1)
       order by ip limit 1)
      union all
      select ${pool.gateway}::inet + 1 where ${pool.gateway}::inet >= ${start}
    ) candidates
    where candidate between ${pool.first}::inet and ${pool.last}::inet
      and candidate <> ${pool.gateway}::inet
      and not exists (select from addresses where ip = candidate)
    limit 1`.execute(trx);
  return rows[0]?.ip;
}

/** Gives an address to a server. `UNIQUE (ip)` is what keeps it from being given twice. */
export async function holdAddress(
  trx: Trx,
  address: { ip: string; poolId: number; serverId: number; isPrimary: boolean },
): Promise<void> {
  await trx
    .insertInto('addresses')
    .values({
      ip: address.ip,
      pool_id: address.poolId,
      server_id: address.serverId,
      is_primary: address.isPrimary,
    })
    .execute();
  await trx
    .updateTable('address_pools')
    .set({ last_taken: address.ip })
    .where('id', '=', address.poolId)
    .execute();
}

/** Only for when the engine has confirmed that the server's instance is gone. */
export async function releaseAddresses(trx: Trx, serverId: number): Promise<void> {
  await trx.deleteFrom('addresses').where('server_id', '=', serverId).execute();
}
