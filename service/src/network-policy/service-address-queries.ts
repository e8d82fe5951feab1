import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** How long an address stays blocked after its service has gone, since it may come back. */
export const keptFor = sql`interval '1 day'`;

/** Records the addresses of a service, and deletes those that no service has had for long. */
export async function recordAddresses(db: Queryable, addresses: readonly string[]): Promise<void> {
  await sql`
    insert into service_addresses (address)
    select distinct unnest(${[...addresses]}::inet[])
    on conflict (address) do update set seen_at = now()`.execute(db);
  await sql`delete from service_addresses where seen_at <= now() - ${keptFor}`.execute(db);
}
