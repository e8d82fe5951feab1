import { sql } from 'kysely';
import type { Queryable } from '../../db/connection.ts';

/** Networks and addresses of the installation: its nodes, its services, and the pools of its servers. */
export async function ownNetworks(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select distinct host(address) as network from nodes, unnest(addresses) as address where not gone
    union select host(address) from service_addresses
    union select cidr::text from address_pools`.execute(db);
  return rows.map(({ network }) => network);
}
