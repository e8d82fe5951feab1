import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { notify } from '../db/notifications.ts';
import type { Lease } from '../operations/lease-queries.ts';

// Creates on a node queue up in the order of their requests. The slot of a create is stored in the
// state of its operation, so that it ends with the operation, whatever happens to the worker.

/** The number of slots on the node with that id. */
const slots = (nodeId: number) => sql<number>`(
  select coalesce(locations.creates_per_node, greatest(4, 2 * nodes.cpu))
  from nodes join locations on locations.id = nodes.location_id where nodes.id = ${nodeId})`;

/** The creates that wait for a slot on a node or have one. */
const queue = (nodeId: number) => sql`(
  select operations.id, operations.step, coalesce((state ->> 'has_place')::boolean, false) as has_place
  from operations join servers on servers.id = operations.server_id
  where operations.kind = 'create' and operations.finished_at is null
    and servers.node_id = ${nodeId}
    and coalesce((state ->> 'has_place')::boolean, true)) queue`;

/** The class of advisory locks whose second key is the id of a node. */
const lockClass = sql.lit(0x637265);

/**
 * Claims one of its node's slots for a create, unless all are taken, or creates before it will take
 * them, or the lease was lost. Serialised per node. A create that has a slot keeps it.
 */
export async function claimCreateSlot(
  trx: Trx,
  { id, fence, nodeId }: Lease & { nodeId: number },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${lockClass}, ${nodeId}::integer)`.execute(trx);
  const { rows } = await sql`
    update operations set state = state || '{"has_place": true}'
    where id = ${id} and fence = ${fence} and finished_at is null and (state ->> 'has_place' = 'true' or ${slots(nodeId)} > (
      select count(*) from ${queue(nodeId)}
      where queue.id <> ${id} and (queue.has_place or queue.id < ${id})))
    returning id`.execute(trx);
  return rows.length > 0;
}

/** Wakes the creates that may have a slot now. */
export async function wakeNextCreates(db: Db, nodeId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    update operations set wake_at = clock_timestamp()
    where id = any(array(
        select queue.id from ${queue(nodeId)}
        where not queue.has_place and queue.step = 'queue'
        order by queue.id
        limit greatest(0, ${slots(nodeId)}
          - (select count(*) from ${queue(nodeId)} where queue.has_place))))
      and finished_at is null
    returning id`.execute(db);
  for (const { id } of rows.slice(0, 1)) await notifyDue(db, id);
}

const notifyDue = (db: Queryable, id: number) => notify(db, 'operation_due', { id });
