import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { notificationWith } from '../db/notifications.ts';
import { type EventRow, type EventSpan, eventColumns, type KeptEvents } from './queries.ts';

/** The maximum number of events that are moved, or read, at once. */
export const eventsAtOnce = 1000;

const announcement = notificationWith('events_written', { until: sql.ref('last.id') });
const lock = sql`hashtextextended('berth events', 0)`;
const turns = {
  /** Moves nothing while another service does. */
  ifFree: sql`pg_try_advisory_xact_lock(${lock})`,
  /** Waits for the other service, so that all events are moved that had been committed. */
  inTurn: sql`pg_advisory_xact_lock(${lock})::text is not null`,
};

/**
 * Moves committed events from the outbox to where they are read, in the order in which they were written, and gives them
 * ids. One service at a time does so, which commits before the next one begins: no event becomes visible after one with
 * a higher id. Returns how many it found, some of which another service may have moved in the meantime.
 */
export async function moveEvents(db: Queryable, turn: keyof typeof turns): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with turn as materialized (select ${turns[turn]} as is_ours),
    found as materialized (
      select id from event_outbox where (select is_ours from turn)
      order by id limit ${sql.lit(eventsAtOnce)}
    ),
    moved as (delete from event_outbox where id = any(array(select id from found)) returning *),
    entered as (
      insert into events (type, project_id, server_id, operation_id, node_id, labels, data, at)
      select type, project_id, server_id, operation_id, node_id, labels, data, at from moved order by id
      returning id
    ),
    last as (select max(id) as id from entered)
    select (select count(*) from found) as count, case when id is not null then ${announcement}::text end
    from last`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Tells all services which the last event is. */
export async function announceEvents(db: Queryable): Promise<void> {
  await sql`
    select ${announcement} from (
      select greatest(events_gone_until, (select max(id) from events)) as id from settings
    ) last`.execute(db);
}

/** Which events are kept, and, as of the same time, whether the outbox has others. */
export async function keptEvents(db: Queryable): Promise<KeptEvents & { areMore: boolean }> {
  const { rows } = await sql<KeptEvents & { areMore: boolean }>`
    select events_gone_until as "goneUntil",
      greatest(events_gone_until, (select max(id) from events)) as last,
      exists (select from event_outbox) as "areMore"
    from settings`.execute(db);
  return rows[0] ?? { goneUntil: 0, last: 0, areMore: true };
}

/** Events of all projects, for the one reader of a service. */
export async function eventsIn(db: Queryable, { after, until }: EventSpan): Promise<EventRow[]> {
  return await db
    .selectFrom('events')
    .select(eventColumns)
    .where('id', '>', after)
    .where('id', '<=', until)
    .orderBy('id')
    .limit(eventsAtOnce)
    .execute();
}
