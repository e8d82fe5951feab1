import type { Event } from '@berth/client';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { EventsPage, Found, Older } from './pages.ts';
import { type EventSearch, selects } from './search.ts';

interface Pages<One extends Found, Param> {
  pages: EventsPage<One>[];
  pageParams: Param[];
}

const mostKept = 500;
const keptThen = 250;

/** The pages with an event that has just happened. When there are too many, older ones can be read again. */
export function pagesWith<One extends Found, Param>(
  { pages, pageParams }: Pages<One, Param>,
  event: One,
): Pages<One, Param> {
  const [latest, ...others] = pages;
  if (!latest || event.id <= (latest.events[0]?.id ?? 0)) return { pages, pageParams };
  const events = [event, ...latest.events];
  if (events.length <= mostKept) return { pages: [{ ...latest, events }, ...others], pageParams };
  const kept = events.slice(0, keptThen);
  const first = pages.at(-1)?.older?.first ?? pages.at(-1)?.events.at(-1)?.id ?? 0;
  const until = (kept.at(-1)?.id ?? 0) - 1;
  return { pages: [{ events: kept, older: { first, until } }], pageParams: pageParams.slice(0, 1) };
}

/** What has happened while a list is being read would otherwise be missing from it. */
const recentKey = ['recent-events'];
const mostRecent = 200;

type Data = Pick<InfiniteData<EventsPage, Older | null>, 'pages' | 'pageParams'>;

const withEvents = (data: Data, search: EventSearch, events: readonly Event[]): Data =>
  events.filter((event) => selects(search, event)).reduce(pagesWith, data);

/** A page of events up to an ID, with those that have happened since. */
export function withRecent(
  queries: QueryClient,
  search: EventSearch,
  page: EventsPage,
  until: number,
): EventsPage {
  const recent = queries.getQueryData<readonly Event[]>(recentKey) ?? [];
  const missing = recent.filter(({ id }) => id > until);
  return withEvents({ pages: [page], pageParams: [] }, search, missing).pages[0] ?? page;
}

/** Adds an event to the lists that it belongs to. */
export function takeEvent(queries: QueryClient, event: Event): void {
  queries.setQueryData<readonly Event[]>(recentKey, (recent = []) =>
    [...recent, event].slice(-mostRecent),
  );
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: ['events'] })) {
    const [, search] = queryKey as [string, EventSearch];
    queries.setQueryData<Data>(queryKey, (data) => data && withEvents(data, search, [event]));
  }
}
