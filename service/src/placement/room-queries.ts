import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';

/** The properties of a node that placement needs. */
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
  /** The sum over its servers, including stopped ones. */
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

/** The current nodes of a location, in any order, without locks. */
export async function roomOfNodes(db: Queryable, locationId: number): Promise<NodeRoom[]> {
  return await db
    .selectFrom('nodes')
    .select(roomColumns)
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .where('lost', '=', false)
    .execute();
}

/**
 * Locks a node until the transaction ends, if `fits` holds for the locked row. Otherwise it
 * releases the lock: a transaction never waits for one node while it holds another, so that there
 * are no deadlocks.
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

/** How many servers of a project's group each node of a location has, by the node's id. */
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
