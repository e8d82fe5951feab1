import { sql } from 'kysely';
import type { Timing } from '../incus-sim/src/engine.ts';
import type { Db } from '../service/src/db/connection.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { nodeName, uuidOf } from './metering-fleet.ts';

/** The size of an installation, for the simulated engines and for the database. */
export interface Fleet {
  locations: number;
  nodesPerLocation: number;
  serversPerNode: number;
  /** Whether the servers are stopped; otherwise they run. */
  areStopped?: boolean;
  /** How long the actions of its engines take, where that differs from the simulator's own. */
  timing?: Partial<Timing>;
}

export const names = { project: 'bench', pool: 'bench', network: 'bench0' };
export const socketOf = (directory: string, location: number) =>
  `${directory}/incus-${location}.socket`;
/** Each node has capacity for as many servers again. */
export const serverSize = { cpu: 1, ramMb: 1024, diskGb: 10 };
export const nodeMemoryBytes = ({ serversPerNode }: Fleet) =>
  2 * serversPerNode * serverSize.ramMb * 2 ** 20;

export interface PlannedServer {
  uuid: string;
  name: string;
  mac: string;
  ip: string;
  node: string;
}

/** The servers of a location, by number. */
export function* serversOf(fleet: Fleet, location: number): Generator<PlannedServer> {
  const count = fleet.nodesPerLocation * fleet.serversPerNode;
  for (let at = 0; at < count; at += 1) {
    const uuid = uuidOf(location * count + at);
    const hex = (location * count + at).toString(16).padStart(6, '0');
    yield {
      uuid,
      name: instanceName(uuid),
      mac: `10:66:6a:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`,
      ip: `10.${location}.${Math.floor(at / 250)}.${(at % 250) + 1}`,
      node: nodeName(Math.floor(at / fleet.serversPerNode)),
    };
  }
}

/** Inserts locations, nodes, and running servers with an address each. */
export async function fill(db: Db, fleet: Fleet, directory: string): Promise<void> {
  // The triggers count each server's share of its project and node, which is quadratic in one
  // transaction.
  await sql`alter table servers disable trigger user`.execute(db);
  await sql`alter table addresses disable trigger user`.execute(db);
  await sql`
    insert into operating_systems
      (slug, name, version, type, architecture, source, min_ram_mb, min_disk_gb)
    values ('debian-12', 'Debian', '12', 'container', 'x86_64', '{"build": "debian-12"}', 128, 1)
    on conflict do nothing`.execute(db);
  for (let location = 0; location < fleet.locations; location += 1) {
    await fillLocation(db, fleet, { location, socketPath: socketOf(directory, location) });
  }
  await sql`
    update nodes set (servers, allocated_cpu, allocated_ram_mb, allocated_disk_gb) = (
      select count(*), sum(cpu), sum(ram_mb), sum(disk_gb) from servers where node_id = nodes.id)
  `.execute(db);
  await sql`
    update projects set (used_servers, used_cpu, used_ram_mb, used_disk_gb, used_addresses) = (
      select count(*), coalesce(sum(cpu), 0), coalesce(sum(ram_mb), 0), coalesce(sum(disk_gb), 0), count(*)
      from servers where project_id = projects.id)`.execute(db);
  await sql`alter table servers enable trigger user`.execute(db);
  await sql`alter table addresses enable trigger user`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function fillLocation(
  db: Db,
  fleet: Fleet,
  { location, socketPath }: { location: number; socketPath: string },
): Promise<void> {
  const { project, pool, network } = names;
  const { cpu, ramMb, diskGb } = serverSize;
  const status = fleet.areStopped ? 'stopped' : 'started';
  const servers = [...serversOf(fleet, location)];
  const nodes = Array.from({ length: fleet.nodesPerLocation }, (_, node) => nodeName(node));
  const column = (of: keyof PlannedServer) => servers.map((server) => server[of]);
  await sql`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb, reachable, overcommit_cpu, overcommit_disk)
      values (${location === 0 ? 'local' : `location-${location}`}, '',
        ${JSON.stringify({ socket_path: socketPath })}, ${project}, ${pool}, ${network},
        8, 8192, 80, false, 1000, 1000)
      returning id
    ),
    pool as (
      insert into address_pools
        (location_id, cidr, gateway, nameservers, first, last, last_taken, is_of_network)
      select id, ${`10.${location}.0.0/16`}::cidr, ${`10.${location}.255.254`}::inet, '{}',
        ${`10.${location}.0.1`}::inet, ${`10.${location}.255.250`}::inet,
        ${servers.at(-1)?.ip}::inet, false
      from location returning id
    ),
    node as (
      insert into nodes (location_id, name, member, status, cpu, ram_mb)
      select location.id, name, name, 'online', 8, ${nodeMemoryBytes(fleet) / 2 ** 20}
      from location, unnest(${nodes}::text[]) name
      returning id, name
    ),
    planned as (
      select * from unnest(${column('uuid')}::uuid[], ${column('mac')}::text[],
        ${column('ip')}::inet[], ${column('node')}::text[]) as planned (uuid, mac, ip, node)
    ),
    server as (
      insert into servers (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, status, real_status, installed_at)
      select uuid, (select min(id) from projects), location.id,
        (select min(id) from operating_systems), node.id, 'bench-' || planned.uuid, mac, ${cpu}, ${ramMb}, ${diskGb},
        ${status}, ${status}, now()
      from location, planned join node on node.name = planned.node
      returning id, uuid
    )
    insert into addresses (ip, pool_id, server_id, is_primary)
    select planned.ip, pool.id, server.id, true
    from pool, planned join server on server.uuid = planned.uuid
  `.execute(db);
}
