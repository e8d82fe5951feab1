import type { EventType } from '@berth/contract/events';
import { type GeneratedAlways, type JSONColumnType, type Selectable, sql } from 'kysely';
import { hasAnyOf, planned } from '../db/filters.ts';
import type { After } from '../db/keyset.ts';
import { type Listing, listing } from '../db/listing.ts';
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

export const eventColumns = [
  'id',
  'type',
  'project_id',
  'server_id',
  'labels',
  'data',
  'at',
] as const;
export type EventRow = Pick<Selectable<EventsTable>, (typeof eventColumns)[number]>;

/** Between two ids, without the first. */
export interface EventSpan {
  after: number;
  until: number;
}

/** The ids between which events are kept: all up to `goneUntil` were removed. */
export interface KeptEvents {
  goneUntil: number;
  last: number;
}

/** Filters of events. Each field matches any of its values. */
export interface EventFilters {
  type?: EventType[] | undefined;
  server_id?: number[] | undefined;
  project_id?: number[] | undefined;
  selector?: Selector | undefined;
}

/** How many ids are searched at once, so that no query takes long, however rare the events are that a filter selects. */
export const idsInSpan = 20_000;

/** So that a page of 100 takes two queries: an event has some 500 bytes, and more only if its server has many labels. */
const rowsAtFirst = 50;

/** Events between two ids, without the first, in as many queries as the ids take. */
export function listEvents(
  rows: ProjectRows,
  filters: EventFilters,
  { after, until }: EventSpan,
): Listing<EventRow> {
  const within = (span: EventSpan) => eventsWithin(rows, filters, span);

  function* spansFrom(first: number): Generator<EventSpan> {
    for (let from = first; from < until; from += idsInSpan)
      yield { after: from, until: Math.min(until, from + idsInSpan) };
  }

  async function some<T>(
    from: After | undefined,
    limit: number,
    read: (listing: Listing<EventRow>, limit: number) => Promise<T[]>,
  ): Promise<T[]> {
    const found: T[] = [];
    for (const span of spansFrom(from?.id ?? after)) {
      found.push(...(await read(within(span), limit - found.length)));
      if (found.length === limit) break;
    }
    return found;
  }

  return {
    rowsAtFirst,
    page: (from, limit) => some(from, limit, (listing, rest) => listing.page(undefined, rest)),
    keys: (from, limit) => some(from, limit, (listing, rest) => listing.keys(undefined, rest)),
    rows: (ids) => within({ after, until }).rows(ids),
    async count() {
      let count = 0;
      for (const span of spansFrom(after)) count += await within(span).count();
      return count;
    },
  };
}

function eventsWithin(
  rows: ProjectRows,
  { selector, type, server_id, project_id }: EventFilters,
  { after, until }: EventSpan,
): Listing<EventRow> {
  let query = rows
    .select('events')
    .select(eventColumns)
    .where('events.id', '>', after)
    .where('events.id', '<=', until)
    .where(hasAnyOf({ type, server_id, project_id }));
  if (selector) {
    query = query
      .where('events.server_id', 'is not', null)
      .where(sql<boolean>`${planned} (${areMet('events.labels', selector)})`);
  }
  return listing(query, { id: 'id' });
}
