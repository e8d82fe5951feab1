import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { emailIs } from '../users/queries.ts';

/** An IPv4 address, or an IPv6 /64, as in the rate limits. */
function networkOf(address: string) {
  const given = sql`${address}::inet`;
  return sql<string>`network(set_masklen(${given}, case family(${given}) when 4 then 32 else 64 end))`;
}

const knownFor = sql`interval '30 days'`;
/** The maximum of networks of one user. */
const maxNetworks = 100;

/**
 * Whether the user with this email address has signed in from this network within the last 30 days.
 */
export async function isKnownNetwork(
  db: Queryable,
  { email, address }: { email: string; address: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .innerJoin('users', 'users.id', 'known_networks.user_id')
    .select('users.id')
    .where('users.deleted_at', 'is', null)
    .where(emailIs(email))
    .where('network', '=', networkOf(address))
    .where('used_at', '>', sql<string>`now() - ${knownFor}`)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Records a sign-in from a network, and deletes the oldest networks of the user if there are too
 * many.
 */
export async function recordNetwork(trx: Trx, userId: number, address: string): Promise<void> {
  await trx
    .insertInto('known_networks')
    .values({ user_id: userId, network: networkOf(address) })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'network']).doUpdateSet({ used_at: sql<string>`now()` }),
    )
    .execute();
  await sql`
    delete from known_networks where user_id = ${userId} and network in (
      select network from known_networks where user_id = ${userId}
      order by used_at desc offset ${maxNetworks})`.execute(trx);
}

/** Deletes old networks, and returns their number. */
export async function deleteOldNetworks(db: Queryable): Promise<number> {
  const query = db.deleteFrom('known_networks');
  const old = query.where('used_at', '<=', sql<string>`now() - ${knownFor}`);
  return Number((await old.executeTakeFirst()).numDeletedRows);
}
