import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queryable } from '../db/connection.ts';
import type { ImageSource } from '../db/schema/schema.ts';
import { type LocationNetwork, networkOf } from '../locations/network.ts';
import type { Rates } from '../traffic/throttle.ts';
import { osName } from './queries.ts';

export interface ServerAddress {
  ip: string;
  prefixLength: number;
  gateway: string;
  nameservers: string[];
  family: 4 | 6;
}

/** The part of a server that the steps of an operation need. */
export interface ServerForOperation {
  id: number;
  uuid: string;
  hostname: string;
  /** Whether its SSH server accepts passwords. */
  passwordLogin: boolean;
  mac: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  locationId: number;
  storagePool: string;
  network: LocationNetwork;
  nodeId: number;
  node: string;
  /** The name as a member of a cluster; null without a cluster. */
  member: string | null;
  os: {
    id: number;
    slug: string;
    name: string;
    type: 'container' | 'virtual-machine';
    source: ImageSource;
  };
  addresses: ServerAddress[];
  /** Its throttle, in the directions that its node is known to limit: it would not start with another. */
  throttle: Rates;
}

/** Also returns the node if it is unreachable, so that no step can run. */
export async function serverForOperation(
  db: Queryable,
  id: number,
): Promise<ServerForOperation & { isAway: boolean }> {
  const row = await db
    .selectFrom('servers')
    .innerJoin('locations', 'locations.id', 'servers.location_id')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .innerJoin('operating_systems as os', 'os.id', 'servers.os_id')
    .selectAll('servers')
    .select(['nodes.name as node', 'nodes.member', 'locations.storage_pool'])
    .select(['nodes.limits_incoming', 'nodes.limits_outgoing'])
    .select(['locations.network', 'locations.network_kind', 'locations.vlan'])
    .select(['os.slug', 'os.type', 'os.source'])
    .select(osName('os'))
    .select(sql<boolean>`nodes.status = 'offline' and not nodes.gone`.as('is_away'))
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('addresses')
          .innerJoin('address_pools as pool', 'pool.id', 'addresses.pool_id')
          .select([
            sql<string>`host(addresses.ip)`.as('ip'),
            sql<number>`masklen(pool.cidr)`.as('prefixLength'),
            sql<string>`host(pool.gateway)`.as('gateway'),
            sql<string[]>`array(select host(n) from unnest(pool.nameservers) n)`.as('nameservers'),
            sql<4 | 6>`family(pool.cidr)`.as('family'),
          ])
          .whereRef('addresses.server_id', '=', 'servers.id')
          .orderBy('addresses.is_primary', 'desc')
          .orderBy('addresses.ip'),
      ).as('addresses'),
    )
    .where('servers.id', '=', id)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    uuid: row.uuid,
    hostname: row.hostname,
    passwordLogin: row.password_login,
    mac: row.mac,
    cpu: row.cpu,
    ramMb: row.ram_mb,
    diskGb: row.disk_gb,
    locationId: row.location_id,
    storagePool: row.storage_pool,
    network: networkOf(row),
    nodeId: row.node_id,
    node: row.node,
    member: row.member,
    os: { id: row.os_id, slug: row.slug, name: row.os_name, type: row.type, source: row.source },
    addresses: row.addresses,
    throttle: throttleOf(row),
    isAway: row.is_away,
  };
}

interface Throttled {
  traffic_throttle: number | null;
  limits_incoming: boolean | null;
  limits_outgoing: boolean | null;
}

function throttleOf({ traffic_throttle: rate, limits_incoming, limits_outgoing }: Throttled) {
  if (rate === null) return {};
  return { ...(limits_incoming && { incoming: rate }), ...(limits_outgoing && { outgoing: rate }) };
}
