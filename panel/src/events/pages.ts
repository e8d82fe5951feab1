import type { Event } from '@berth/client';

export type Found = Pick<Event, 'id'>;

/** IDs, between which all that is older can be read. */
export interface Older {
  /** The oldest event that the filters select. */
  first: number;
  until: number;
}

export interface EventsPage<One extends Found = Event> {
  /** The latest first. */
  events: readonly One[];
  /** Null if the page has the oldest one. */
  older: Older | null;
}

/** Reads at most so many events after an ID, in the order of their IDs, as the API lists them. */
type Read<One> = (after: number, limit: number) => Promise<readonly One[]>;

const wanted = 50;
const mostAtOnce = 1000;
const firstSpan = 100;
const factor = 4;

/**
 * Reads the latest events up to an ID. The API lists events forwards, so this reads one span of IDs after the other
 * backwards, each larger than the one before, because filters may select few of them.
 */
export async function readLatest<One extends Found>(
  read: Read<One>,
  { first, until }: Older,
): Promise<EventsPage<One>> {
  const events: One[] = [];
  let [end, span] = [until, firstSpan];
  while (end >= first && events.length < wanted) {
    const after = Math.max(first - 1, end - span);
    const limit = Math.min(mostAtOnce, end - after);
    const found = await read(after, limit);
    const last = found.at(-1)?.id ?? end;
    if (found.length === limit && last < end) {
      // There are more of them than are read at once. A span of as many IDs cannot have more.
      span = Math.max(mostAtOnce, Math.floor(span / factor));
      continue;
    }
    events.push(...found.filter(({ id }) => id <= end).reverse());
    [end, span] = [after, span * factor];
  }
  return { events, older: end >= first ? { first, until: end } : null };
}
