import { type Berth, type Event, EventsGoneError, items } from '@berth/client';
import type { queryOf } from './filters.ts';

/** How much further back it looks each time. */
const growth = 4;

/**
 * The last events of those that filters select, the oldest first. The API lists events from an ID on, and says which is
 * the last, so that this looks back from the end until it has found enough.
 */
export async function latestEvents(
  berth: Berth,
  filters: ReturnType<typeof queryOf>,
  count: number,
): Promise<Event[]> {
  const { response } = await berth.GET('/v1/events', { params: { query: { after: 0, limit: 1 } } });
  const last = Number(response.headers.get('Last-Event-ID'));
  for (let span = count; ; span *= growth) {
    const after = Math.max(0, last - span);
    const found = await lastAfter(berth, filters, after, count);
    if (found && (found.length === count || after === 0)) return found;
    // Some of the events in between are no longer kept.
    if (!found) return (await lastAfter(berth, filters, 0, count)) ?? [];
  }
}

/** Undefined if the event is no longer kept. */
async function lastAfter(
  berth: Berth,
  filters: ReturnType<typeof queryOf>,
  after: number,
  count: number,
): Promise<Event[] | undefined> {
  const query = { ...filters, after, limit: 1000 };
  let found: Event[] = [];
  try {
    for await (const event of items(berth, '/v1/events', { params: { query } })) {
      found.push(event);
      if (found.length >= 2 * count) found = found.slice(-count);
    }
  } catch (error) {
    if (error instanceof EventsGoneError && after > 0) return undefined;
    throw error;
  }
  return found.slice(-count);
}
