import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** For so long an address stays closed that no service has any more: one that is away for a while comes back. */
export const keptFor = sql`interval '1 day'`;

/** Notes that a service has these, and forgets those that none has had for long. */
export async function enterAddresses(db: Queryable, addresses: readonly string[]): Promise<void> {
  await sql`
    insert into service_addresses (address)
    select distinct unnest(${[...addresses]}::inet[])
    on conflict (address) do update set seen_at = now()`.execute(db);
  await sql`delete from service_addresses where seen_at <= now() - ${keptFor}`.execute(db);
}
