import { type Event, EventsGoneError } from '@berth/client';
import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { type EventsPage, type Older, readLatest } from './pages.ts';
import { type EventSearch, queryOf } from './search.ts';
import { withRecent } from './take.ts';

/** The events that the filters select, the latest first. `takeEvent` adds those that happen. */
export const eventsQuery = (search: EventSearch) =>
  infiniteQueryOptions({
    queryKey: ['events', search],
    initialPageParam: null as Older | null,
    queryFn: ({ pageParam, signal, client }): Promise<EventsPage> => {
      const context = { search, signal, client };
      return pageParam ? readLatest(readerOf(context), pageParam) : readFirstPage(context);
    },
    getNextPageParam: ({ older }) => older,
  });

interface Context {
  search: EventSearch;
  signal: AbortSignal;
  client: QueryClient;
}

type Span = { after: number; limit: number };

async function list({ search, signal }: Context, span: Span) {
  const { data, response } = await berth.GET('/v1/events', {
    params: { query: { ...queryOf(search), ...span } },
    headers: { Accept: 'application/json' },
    signal,
  });
  // The other response is a stream, for which nothing has asked.
  const events = data as readonly Event[];
  return { events, last: Number(response.headers.get('Last-Event-ID')) };
}

const readerOf = (context: Context) => async (after: number, limit: number) => {
  try {
    return (await list(context, { after, limit })).events;
  } catch (error) {
    if (!(error instanceof EventsGoneError)) throw error;
    // Some are no longer kept. After 0 are all that are.
    return (await list(context, { after: 0, limit })).events;
  }
};

async function readFirstPage(context: Context): Promise<EventsPage> {
  const { events, last: until } = await list(context, { after: 0, limit: 1 });
  const [first] = events;
  const page = first
    ? await readLatest(readerOf(context), { first: first.id, until })
    : { events: [], older: null };
  return withRecent(context.client, context.search, page, until);
}
