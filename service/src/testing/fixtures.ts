import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';
import { insertMissing } from '../operating-systems/catalogue-queries.ts';

export interface Installation {
  projectId: number;
  locationId: number;
  nodeId: number;
  osId: number;
}

export interface Sizes {
  /** The number of IPv4 addresses of the location. */
  addresses?: number;
  nodeRamMb?: number;
}

/** The kernel of the simulated engine, so that the node counts as probed. */
const kernelVersion = '6.12.0-simulated';

/** Inserts the same as a first start: a location with a node, a pool of each family, and the catalogue. */
export async function installation(db: Db, sizes: Sizes = {}): Promise<Installation> {
  const { addresses = 200, nodeRamMb = 1024 * 1024 } = sizes;
  await insertMissing(db);
  const { rows } = await sql<Installation>`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
                             max_cpu, max_ram_mb, max_disk_gb, overcommit_cpu, overcommit_disk,
                             reachable, watched_at)
      values ('test', 'For tests', '{"socket_path": "/nowhere/unix.socket"}', 'berth', 'berth',
              'berthbr0', 4, 8192, 100, 1000, 1000, true, now() + interval '1 day')
      returning id
    ), node as (
      insert into nodes (location_id, name, status, cpu, ram_mb, disk_gb, kernel_version,
        limits_incoming, limits_outgoing, limits_kernel, limits_tried_at)
      select id, 'node-1', 'online', 4, ${nodeRamMb}, 1000, ${kernelVersion}, true, true,
        ${kernelVersion}, now() from location returning id
    ), pools as (
      insert into address_pools (location_id, cidr, gateway, nameservers, first, last)
      select id, '10.9.0.0/24'::cidr, '10.9.0.1'::inet, '{10.9.0.1}'::inet[], '10.9.0.2'::inet,
             '10.9.0.1'::inet + ${addresses}::int from location
      union all
      select id, 'fd00:9::/64', 'fd00:9::1', '{fd00:9::1}', 'fd00:9::2', 'fd00:9::ffff' from location
    )
    select location.id::int as "locationId", node.id::int as "nodeId",
           (select id::int from projects order by id limit 1) as "projectId",
           (select id::int from operating_systems where slug = 'debian-12') as "osId"
    from location, node`.execute(db);
  const [made] = rows;
  if (!made) throw new Error('The fixtures were not inserted.');
  return made;
}

/** Inserts a second location, without nodes, and its pool 10.8.0.0/24. Returns the ID of the location. */
export async function anotherLocation(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
                             max_cpu, max_ram_mb, max_disk_gb, overcommit_cpu, overcommit_disk)
      values ('another', 'For tests', '{"socket_path": "/nowhere/unix.socket"}', 'other', 'berth',
              'berthbr0', 4, 8192, 100, 1000, 1000) returning id
    )
    insert into address_pools (location_id, cidr, gateway, nameservers, first, last)
    select id, '10.8.0.0/24', '10.8.0.1', '{}', '10.8.0.2', '10.8.0.9' from location
    returning location_id as id`.execute(db);
  const [made] = rows;
  if (!made) throw new Error('The location was not inserted.');
  return made.id;
}
