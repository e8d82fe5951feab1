import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import type { NetworkKind } from '../db/schema/schema.ts';
import type { Smtp } from './compile.ts';
import { keptFor } from './service-address-queries.ts';

/** The desired policy of a location's network. */
export interface WantedPolicy {
  uuid: string;
  network: string;
  kind: NetworkKind;
  incusProject: string;
  allowed: string[];
  smtp: Smtp;
  /** The version of the policy. */
  wanted: number;
  /** All known addresses of its nodes. */
  nodeAddresses: string[];
  /** All known addresses of nodes of other locations, and public ones of services. */
  elsewhere: string[];
  /** Nodes whose addresses are not known yet. */
  silentNodes: string[];
  /** IPv6 addresses that servers have or will get next. */
  held: string[];
}

/** Undefined if the location was removed. */
export async function wantedPolicy(
  db: Queryable,
  locationId: number,
): Promise<WantedPolicy | undefined> {
  const { rows } = await sql<WantedPolicy>`
    select uuid, network, network_kind as kind, incus_project as "incusProject",
      allowed_destinations::text[] as allowed, smtp, policy_wanted as wanted,
      array(
        select distinct host(address) from nodes, unnest(nodes.addresses) as address
        where location_id = locations.id and not gone
      ) as "nodeAddresses",
      array(
        select host(address) from nodes join locations other on other.id = location_id,
          unnest(nodes.addresses) as address
        where other.id <> locations.id and other.removed_at is null and not gone
        union
        select host(address) from service_addresses where seen_at > now() - ${keptFor}
      ) as elsewhere,
      array(
        select nodes.name from nodes
        where location_id = locations.id and not gone and addresses is null order by nodes.name
      ) as "silentNodes",
      array(
        select host(ip) from addresses join address_pools pool on pool.id = pool_id
        where pool.location_id = locations.id and family(ip) = 6
        union
        select host(coalesce(last_taken, first)) from address_pools
        where location_id = locations.id and family(cidr) = 6
      ) as held
    from locations where id = ${locationId} and removed_at is null`.execute(db);
  return rows[0];
}

/** @param addresses all that it has */
export async function setNodeAddresses(
  db: Queryable,
  locationId: number,
  node: string,
  addresses: readonly string[],
): Promise<void> {
  await sql`
    update nodes set addresses = ${[...addresses]}::inet[], addresses_read_at = now()
    where location_id = ${locationId} and name = ${node}`.execute(db);
}

/**
 * What a location's network lacks before a new guest may run on it; undefined if nothing. A node
 * that is unreachable and has not reported its addresses does not delay others.
 */
export async function lacksRules(
  db: Queryable,
  locationId: number,
): Promise<'rules' | 'addresses' | undefined> {
  const { rows } = await sql<{ lacks: 'rules' | 'addresses' }>`
    select case when policy_applied = 0 then 'rules' else 'addresses' end as lacks
    from locations
    where id = ${locationId} and network_kind = 'bridge' and (policy_applied = 0 or exists (
      select from nodes where location_id = locations.id
        and addresses is null and status = 'online' and not gone))`.execute(db);
  return rows[0]?.lacks;
}

/** The reachable nodes of a location. */
export async function nodesOnline(
  db: Queryable,
  locationId: number,
): Promise<{ name: string; member: string | null }[]> {
  return await db
    .selectFrom('nodes')
    .select(['name', 'member'])
    .where('location_id', '=', locationId)
    .where('status', '=', 'online')
    .where('gone', '=', false)
    .orderBy('name')
    .execute();
}

export async function membersAway(db: Queryable, locationId: number): Promise<string[]> {
  const away = await db
    .selectFrom('nodes')
    .select('name')
    .where('location_id', '=', locationId)
    .where('status', '=', 'offline')
    .where('gone', '=', false)
    .orderBy('name')
    .execute();
  return away.map(({ name }) => name);
}

/**
 * Records that the rules implement the version `applied`, or, without it, that they could not be
 * set.
 * @param reason why not, or what they lack
 */
export async function recordPolicy(
  db: Queryable,
  locationId: number,
  { applied, reason }: { applied: number | null; reason: string | null },
): Promise<void> {
  const isWhole = (row: string) =>
    sql<boolean>`(${sql.ref(`${row}.policy_applied`)} = ${sql.ref(`${row}.policy_wanted`)}
      and ${sql.ref(`${row}.policy_reason`)} is null)`;
  await sql`
    update locations set policy_applied = next.policy_applied, policy_reason = next.policy_reason,
      policy_since = case when ${isWhole('locations')} = ${isWhole('next')} then policy_since else now() end
    from (
      select id, policy_wanted, coalesce(${applied}::bigint, policy_applied) as policy_applied,
        ${reason}::text as policy_reason
      from locations where id = ${locationId}
    ) as next
    where locations.id = next.id
      and (locations.policy_applied, locations.policy_reason)
        is distinct from (next.policy_applied, next.policy_reason)`.execute(db);
}

/** Records to whom else all IPv6 addresses of a location's network are open; may be empty. */
export async function recordOtherUsers(
  db: Queryable,
  locationId: number,
  others: readonly string[],
): Promise<void> {
  await sql`
    update locations set ipv6_open_for = ${[...others]}::text[]
    where id = ${locationId} and ipv6_open_for is distinct from ${[...others]}::text[]`.execute(db);
}
