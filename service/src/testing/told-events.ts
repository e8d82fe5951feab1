import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

// Whoever follows events must know what the rows say: this compares both.

/** Selects what the events do not tell, or not as it is. No rows: they tell everything. */
export const untoldByEvents = `
  with told as (
    -- Those in the outbox come after all that have an id.
    select 0 as stage, id, type, server_id, operation_id, node_id, data from events
    union all select 1, id, type, server_id, operation_id, node_id, data from event_outbox
  ),
  of_servers as (
    select distinct on (server_id) server_id, type, data -> 'server' as server from told
    where type like 'server.%' order by server_id, stage desc, id desc
  ),
  of_operations as (
    select distinct on (operation_id) operation_id, type, data -> 'operation' as operation from told
    where type like 'operation.%' order by operation_id, stage desc, id desc
  ),
  of_nodes as (
    select distinct on (node_id) node_id, type, data -> 'node' as node from told
    where type like 'node.%' order by node_id, stage desc, id desc
  ),
  counts as (
    select operation_id, count(*) filter (where type = 'operation.created') as created,
      count(*) filter (where type = 'operation.ended') as ended
    from told where type like 'operation.%' group by operation_id
  )
  select 'server' as what, servers.id, servers.status as is, of_servers.server::text as told
  from servers left join of_servers on of_servers.server_id = servers.id
  where case when servers.deleted_at is not null then type is distinct from 'server.deleted'
    else (server ->> 'status', server ->> 'error', server ->> 'hostname', server -> 'specifications')
      is distinct from (servers.status, servers.error, servers.hostname,
        jsonb_build_object('cpu', cpu, 'ram', ram_mb, 'disk', disk_gb)) end
  union all
  select 'operation', operations.id, operations.status, of_operations.operation::text
  from operations left join of_operations on of_operations.operation_id = operations.id
    left join counts on counts.operation_id = operations.id
  where (operation ->> 'message', operation ->> 'progress') is distinct from (operations.message, operations.progress::text)
    or (operations.finished_at is not null
      and (type, operation ->> 'status') is distinct from ('operation.ended', operations.status))
    or (counts.created, counts.ended) is distinct from (1::bigint, (operations.finished_at is not null)::integer::bigint)
  union all
  select 'node', nodes.id, shown_node_state(nodes, locations.reachable), of_nodes.node::text
  from nodes join locations on locations.id = nodes.location_id
    left join of_nodes on of_nodes.node_id = nodes.id
  where node ->> 'status' is distinct from shown_node_state(nodes, locations.reachable)`;

/** Checks that the last events of all servers, operations and nodes say what their rows say. */
export async function assertEventsTell(db: Db): Promise<void> {
  const { rows } = await sql.raw(untoldByEvents).execute(db);
  assert.deepEqual(rows, [], 'the events tell of every change');
}
