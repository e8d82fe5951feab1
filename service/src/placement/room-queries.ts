import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';

/** What decides whether a server can go to a node. */
export interface NodeRoom {
  id: number;
  name: string;
  status: 'online' | 'offline';
  evacuated: boolean;
  cordoned: boolean;
  failureDomain: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  /** What the servers on it were given together, stopped ones included. */
  cpuAllocated: number;
  ramAllocatedMb: number;
  diskAllocatedGb: number;
}

const roomColumns = [
  'id',
  'name',
  'status',
  'evacuated',
  'cordoned',
  'failure_domain as failureDomain',
  'cpu',
  'ram_mb as ramMb',
  'disk_gb as diskGb',
  'allocated_cpu as cpuAllocated',
  'allocated_ram_mb as ramAllocatedMb',
  'allocated_disk_gb as diskAllocatedGb',
] as const;

/** All that a location has, by id, as they are at this moment. */
export async function roomOfNodes(trx: Trx, locationId: number): Promise<NodeRoom[]> {
  return await trx
    .selectFrom('nodes')
    .select(roomColumns)
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .where('lost', '=', false)
    .orderBy('id')
    .execute();
}

/**
 * Locks a node until the transaction ends, if `fits` holds for it once it is locked. One that it does
 * not hold for is let go of: no transaction waits for a node while it holds another, so that none can
 * wait for each other.
 */
export async function lockNodeIf(
  trx: Trx,
  id: number,
  fits: (node: NodeRoom) => boolean,
): Promise<boolean> {
  await sql`savepoint before_node`.execute(trx);
  const query = trx.selectFrom('nodes').select(roomColumns).where('id', '=', id);
  const there = query.where('gone', '=', false).where('lost', '=', false);
  const node = await there.forNoKeyUpdate().executeTakeFirst();
  if (node && fits(node)) return true;
  await sql`rollback to savepoint before_node`.execute(trx);
  return false;
}

/** How many servers of a project's group are at a location, by the id of their node. */
export async function groupByNode(
  project: Project,
  locationId: number,
  group: string,
): Promise<Map<number, number>> {
  const rows = await project
    .select('servers')
    .select(['node_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('location_id', '=', locationId)
    .where('group_name', '=', group)
    .where('deleted_at', 'is', null)
    .groupBy('node_id')
    .execute();
  return new Map(rows.map(({ node_id, count }) => [node_id, count]));
}
