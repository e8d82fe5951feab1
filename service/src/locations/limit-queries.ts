import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** Seen from a server: what comes to it, and what it sends. */
export type Direction = 'incoming' | 'outgoing';

/** Whether the kernel of a node can limit the traffic of servers; null until it was tried. */
export type TrafficLimits = Record<Direction, boolean | null>;

export interface NodeToTry {
  id: number;
  /** Its name as a member of a cluster; null without one. */
  member: string | null;
  kernel: string;
}

/**
 * The nodes of a location that are to be tried: with a kernel that was not tried, and each hour where a
 * limit failed, since a module of the kernel may have been installed.
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

/** Enters what was found of a node with that kernel. */
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

/** Enters that a limit of a server has failed for want of means in its node's kernel. */
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

/** Of each node that a location has. */
export async function trafficLimitsOf(db: Queryable, locationId: number): Promise<TrafficLimits[]> {
  return await db
    .selectFrom('nodes')
    .select(['limits_incoming as incoming', 'limits_outgoing as outgoing'])
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .where('lost', '=', false)
    .execute();
}
