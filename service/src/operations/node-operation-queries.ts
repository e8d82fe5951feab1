import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { type ShownOperation, shownColumns, userDataReport } from './queries.ts';

/** A server that an operation on a node moves. */
export interface MovedServer {
  id: number;
  hostname: string;
  status: 'waiting' | 'moving' | 'moved' | 'failed' | 'deleted';
  node: string;
  reason: string | null;
  operation_id: number | null;
}

export type NodeOperation = ShownOperation & { node: string; servers: MovedServer[] };

/** An operation on a node with the servers that it moves, which may be of any project. */
export async function findNodeOperation(
  db: Queryable,
  id: number,
): Promise<NodeOperation | undefined> {
  const row = await db
    .selectFrom('operations')
    .innerJoin('nodes', 'nodes.id', 'operations.node_id')
    .select(shownColumns.map((column) => `operations.${column}` as const))
    .select(userDataReport)
    .select('nodes.name as node')
    .where('operations.id', '=', id)
    .executeTakeFirst();
  return row && { ...row, servers: await movedServers(db, id) };
}

/**
 * The servers whose move has begun. While the operation is in progress, or if a move was refused, also those that are
 * left.
 */
async function movedServers(db: Queryable, operationId: number): Promise<MovedServer[]> {
  const { rows } = await sql<MovedServer>`
    with parent as (select * from operations where id = ${operationId}),
    move as (
      select distinct on (server_id) * from operations
      where parent_id = ${operationId} order by server_id, id desc
    ),
    -- Each by an index: a node has few of all servers.
    still_there as (
      select s.id from parent join servers s on s.node_id = parent.node_id
      where parent.kind = 'evacuate' and s.deleted_at is null
      union
      select s.id from parent join servers s on s.evacuated_from = parent.node_id
      where parent.kind = 'restore' and s.deleted_at is null
    ),
    concerned as (
      select server_id as id from move
      union
      select still_there.id from parent cross join still_there
      where parent.finished_at is null or parent.state -> 'refused' ? still_there.id::text
    )
    select s.id, s.hostname, move.id as operation_id,
      case
        when s.deleted_at is not null then 'deleted'
        when move.status in ('pending', 'running') then 'moving'
        when move.status = 'succeeded' then 'moved'
        when move.status = 'failed' or refused.reason is not null then 'failed'
        else 'waiting' end as status,
      case when move.status in ('pending', 'running', 'succeeded')
        then move.state -> 'to' ->> 'name' else nodes.name end as node,
      case when s.deleted_at is null then coalesce(move.error ->> 'message', refused.reason) end
        as reason
    from parent cross join concerned join servers s on s.id = concerned.id
    join nodes on nodes.id = s.node_id
    left join move on move.server_id = s.id
    cross join lateral (select parent.state -> 'refused' ->> s.id::text as reason) refused
    order by s.id`.execute(db);
  return rows;
}
