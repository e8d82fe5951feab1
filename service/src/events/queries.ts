import type { EventType } from '@berth/contract/events';
import { type GeneratedAlways, type JSONColumnType, type Selectable, sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { hasAnyOf, planned } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import { notificationWith } from '../db/notifications.ts';
import type { ProjectRows } from '../db/project.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';
import { areMet, type Labels } from '../labels/queries.ts';
import type { Selector } from '../labels/selector.ts';

/** Ordered by id, in which none becomes visible after a later one. */
interface EventsTable {
  id: GeneratedAlways<number>;
  type: EventType;
  /** Null for events of nodes. */
  project_id: number | null;
  server_id: number | null;
  operation_id: number | null;
  node_id: number | null;
  /** Those of the server at that time. */
  labels: JSONColumnType<Labels>;
  data: JSONColumnType<Record<string, unknown>>;
  at: Timestamp;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    events: EventsTable;
  }
}

const columns = ['id', 'type', 'project_id', 'server_id', 'labels', 'data', 'at'] as const;
export type EventRow = Pick<Selectable<EventsTable>, (typeof columns)[number]>;

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

/** The ids between which events are kept: all up to `goneUntil` were removed. */
export interface KeptEvents {
  goneUntil: number;
  last: number;
}

export async function keptEvents(db: Queryable): Promise<KeptEvents> {
  const { rows } = await sql<KeptEvents>`
    select events_gone_until as "goneUntil",
      greatest(events_gone_until, (select max(id) from events)) as last
    from settings`.execute(db);
  return rows[0] ?? { goneUntil: 0, last: 0 };
}

/** Between two ids, without the first. */
export interface EventSpan {
  after: number;
  until: number;
}

/** Events of all projects, for the one reader of a service. */
export async function eventsIn(db: Queryable, { after, until }: EventSpan): Promise<EventRow[]> {
  return await db
    .selectFrom('events')
    .select(columns)
    .where('id', '>', after)
    .where('id', '<=', until)
    .orderBy('id')
    .limit(eventsAtOnce)
    .execute();
}

/** Filters of events. Each field matches any of its values. */
export interface EventFilters {
  type?: EventType[] | undefined;
  server_id?: number[] | undefined;
  project_id?: number[] | undefined;
  selector?: Selector | undefined;
}

/** Events between two ids, without the first. */
export function listEvents(
  rows: ProjectRows,
  { selector, type, server_id, project_id }: EventFilters,
  { after, until }: Partial<EventSpan> & Pick<EventSpan, 'after'>,
): Listing<EventRow> {
  let query = rows
    .select('events')
    .select(columns)
    .where('events.id', '>', after)
    .where(hasAnyOf({ type, server_id, project_id }));
  if (until !== undefined) query = query.where('events.id', '<=', until);
  if (selector) {
    query = query
      .where('events.server_id', 'is not', null)
      .where(sql<boolean>`${planned} (${areMet('events.labels', selector)})`);
  }
  return listing(query, { id: 'id' });
}
