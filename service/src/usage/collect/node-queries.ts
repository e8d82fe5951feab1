import { sql } from 'kysely';
import type { Queryable } from '../../db/connection.ts';

export interface Node {
  id: number;
  name: string;
  /** The name of the member in the cluster; null without a cluster. */
  member: string | null;
}

/** The nodes that can be asked for metrics. */
export async function onlineNodes(db: Queryable, locationId: number): Promise<Node[]> {
  return await db
    .selectFrom('nodes')
    .select(['id', 'name', 'member'])
    .where('location_id', '=', locationId)
    .where('status', '=', 'online')
    .execute();
}

/** UUIDs of the servers on a node whose last status is running or paused. */
export async function runningOn(db: Queryable, nodeId: number): Promise<string[]> {
  const servers = await db
    .selectFrom('servers')
    .select('uuid')
    .where('node_id', '=', nodeId)
    .where('deleted_at', 'is', null)
    .where('real_status', 'in', ['started', 'paused'])
    .execute();
  return servers.map(({ uuid }) => uuid);
}

/** How many servers run, or are paused, on online nodes, by location. */
export async function countRunning(db: Queryable): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; running: number }>`
    /* reads all rows */ select servers.location_id as id, count(*) as running
    from servers join nodes on nodes.id = servers.node_id
    where servers.deleted_at is null and servers.real_status in ('started', 'paused')
      and nodes.status = 'online'
    group by servers.location_id`.execute(db);
  return new Map(rows.map(({ id, running }) => [id, running]));
}
