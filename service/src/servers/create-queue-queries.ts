import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { notify } from '../db/notifications.ts';

// Creates on a node queue up in the order they were asked for. Who has a place has it in the state of its
// operation, so that it goes with that, whatever becomes of the worker.

/** How many may have a place at once on a node of that id. */
const places = (nodeId: number) => sql<number>`(
  select coalesce(locations.creates_per_node, greatest(4, 2 * nodes.cpu))
  from nodes join locations on locations.id = nodes.location_id where nodes.id = ${nodeId})`;

/** Those that wait for a place on a node, or have one, and which. */
const queue = (nodeId: number) => sql`(
  select operations.id, operations.step, coalesce((state ->> 'has_place')::boolean, false) as has_place
  from operations join servers on servers.id = operations.server_id
  where operations.kind = 'create' and operations.finished_at is null
    and servers.node_id = ${nodeId}
    and coalesce((state ->> 'has_place')::boolean, true)) queue`;

/** Of advisory locks: the second key is a node's id. */
const lockClass = sql.lit(0x637265);

/**
 * Takes one of its node's places for a create, unless others have them all, or came before it and will.
 * One at a time on a node; who has one keeps it.
 */
export async function takeCreatePlace(
  trx: Trx,
  { id, nodeId }: { id: number; nodeId: number },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${lockClass}, ${nodeId}::integer)`.execute(trx);
  const { rows } = await sql`
    update operations set state = state || '{"has_place": true}'
    where id = ${id} and (state ->> 'has_place' = 'true' or ${places(nodeId)} > (
      select count(*) from ${queue(nodeId)}
      where queue.id <> ${id} and (queue.has_place or queue.id < ${id})))
    returning id`.execute(trx);
  return rows.length > 0;
}

/** Has those look again at once that may have a place by now. */
export async function wakeNextCreates(db: Db, nodeId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    update operations set wake_at = clock_timestamp()
    where id = any(array(
        select queue.id from ${queue(nodeId)}
        where not queue.has_place and queue.step = 'queue'
        order by queue.id
        limit greatest(0, ${places(nodeId)}
          - (select count(*) from ${queue(nodeId)} where queue.has_place))))
      and finished_at is null
    returning id`.execute(db);
  for (const { id } of rows.slice(0, 1)) await tellDue(db, id);
}

const tellDue = (db: Queryable, id: number) => notify(db, 'operation_due', { id });
