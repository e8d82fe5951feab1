import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** The directions of traffic from the point of view of a server: received, and sent. */
export type Direction = 'incoming' | 'outgoing';

/** Whether the kernel of a node can limit the traffic of servers; null until it was tried. */
export type TrafficLimits = Record<Direction, boolean | null>;

export interface NodeToTry {
  id: number;
  /** The name as a member of a cluster; null without a cluster. */
  member: string | null;
  kernel: string;
}

/**
 * The nodes of a location to probe: those with a kernel that was not probed, and once an hour those
 * where a limit failed, because a kernel module may have been installed.
 */
export async function nodesToTry(db: Queryable, locationId: number): Promise<NodeToTry[]> {
  const { rows } = await sql<NodeToTry>`
    select id, member, kernel_version as kernel from nodes
    where location_id = ${locationId} and status = 'online' and not gone and not evacuated
      and kernel_version is not null
      and (
        limits_kernel is distinct from kernel_version
        or (not coalesce(limits_incoming and limits_outgoing, false)
          and limits_tried_at < now() - interval '1 hour')
      )
    order by id`.execute(db);
  return rows;
}

/** Records the result for a node with that kernel. */
export async function setTrafficLimits(
  db: Queryable,
  { id, kernel }: NodeToTry,
  { incoming, outgoing }: TrafficLimits,
): Promise<void> {
  await sql`
    update nodes set limits_incoming = ${incoming}, limits_outgoing = ${outgoing},
      limits_kernel = ${kernel}, limits_tried_at = now()
    where id = ${id}`.execute(db);
}

/** Records that a limit failed because the node's kernel does not support it. */
export async function setLimitFailed(
  db: Queryable,
  nodeId: number,
  direction: Direction,
): Promise<void> {
  const column = direction === 'incoming' ? 'limits_incoming' : 'limits_outgoing';
  await db
    .updateTable('nodes')
    .set({ [column]: false })
    .where('id', '=', nodeId)
    .execute();
}

/** The limits of each node of a location. */
export async function trafficLimitsOf(db: Queryable, locationId: number): Promise<TrafficLimits[]> {
  return await db
    .selectFrom('nodes')
    .select(['limits_incoming as incoming', 'limits_outgoing as outgoing'])
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .where('lost', '=', false)
    .execute();
}
