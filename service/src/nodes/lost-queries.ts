import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import { notify } from '../db/notifications.ts';
import { supersededMessage } from '../operations/queries.ts';

const by = 'declaring the node lost';

/** The error of a server on a lost node, for queries with `nodes`. */
export const lostWithNode = sql<string>`'Its node ' || nodes.name || ' was declared lost, and its disk with it. '
  'Rebuild the server, which creates it again without its data, or delete it.'`;

/**
 * Declares a node lost with its servers. Each is in error from now on, and its operation ends,
 * except for a delete, which continues once the engine has removed the node. A server that is being moved to another
 * node may already be there, which its move finds out. Servers are locked before the node, as in a move.
 */
export async function declareNodeLost(trx: Trx, { id }: { id: number }): Promise<void> {
  const { rows: servers } = await sql<{ id: number }>`
    select id from servers where node_id = ${id} and moving_to is null and deleted_at is null
    order by id for update`.execute(trx);
  const ids = servers.map((server) => server.id);
  await endResizes(trx, ids);
  await trx.updateTable('nodes').set({ lost: true }).where('id', '=', id).execute();
  const { rows: ended } = await sql<{ id: number }>`
    update operations set status = 'superseded', message = ${supersededMessage(by)},
      secrets = null, finished_at = now()
    where finished_at is null and kind <> 'delete'
      and (server_id = any(${ids}::bigint[]) or node_id = ${id})
    returning id`.execute(trx);
  for (const operation of ended) {
    await notify(trx, 'operation_superseded', operation);
    await notify(trx, 'operation_finished', operation);
  }
  await sql`
    update operations set secrets = null
    where server_id = any(${ids}::bigint[]) and secrets is not null and kind <> 'delete'
  `.execute(trx);
  // The server no longer counts as installed, so that the reason is kept.
  await sql`
    update servers set status = 'error', error = ${lostWithNode}, installed_at = null
    from nodes where nodes.id = ${id} and servers.id = any(${ids}::bigint[])
      and servers.status <> 'deleting'`.execute(trx);
}

/** Releases what is reserved for another size of these servers. Projects are locked before the node, as in a create. */
async function endResizes(trx: Trx, ids: number[]): Promise<void> {
  const resizing = sql`id = any(${ids}::bigint[]) and resizing_cpu is not null`;
  await sql`
    select id from projects where id in (select project_id from servers where ${resizing})
    order by id for no key update`.execute(trx);
  await sql`
    update servers set resizing_cpu = null, resizing_ram_mb = null, resizing_disk_gb = null,
      resizing_size_id = null
    where ${resizing}`.execute(trx);
}

/** Records that the engine has removed the node. */
export async function setForgotten(trx: Trx, id: number): Promise<void> {
  await sql`
    update nodes set gone = true, status = 'offline', slow_since = null, updated_at = now(),
      status_since = case status when 'offline' then status_since else now() end
    where id = ${id}`.execute(trx);
}
