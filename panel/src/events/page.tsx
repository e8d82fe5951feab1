import { Anchor, Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import { count } from '../format/units.ts';
import { Empty, Failure, Loading } from '../shell/messages.tsx';
import { Page } from '../shell/page.tsx';
import { Filters } from './filters.tsx';
import { EventList } from './list.tsx';
import { eventsQuery } from './queries.ts';
import { type EventSearch, hasFilters } from './search.ts';

const route = getRouteApi('/signed-in/events');

/** What has happened in the project, the latest first, as it happens. */
export function EventsPage() {
  const search = route.useSearch();
  return (
    <Page title="Events">
      <Filters search={search} />
      <Events search={search} />
    </Page>
  );
}

function Events({ search }: { search: EventSearch }) {
  const query = useInfiniteQuery(eventsQuery(search));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const showEarlier = () => inBackground(fetchNextPage());
  if (error && !data) {
    const retry = () => inBackground(refetch());
    return <Failure title="The events cannot be shown" error={error} retry={retry} />;
  }
  if (!data) return <Loading />;
  const events = data.pages.flatMap((page) => page.events);
  if (events.length === 0) return <NoEvents isFiltered={hasFilters(search)} />;
  return (
    <>
      <Text size="sm" c="dimmed">
        {hasNextPage
          ? `The latest ${count(events.length)} events`
          : `${count(events.length)} in all: events are kept for 30 days`}
      </Text>
      <EventList events={events} isFolded={search.type !== 'operation.progress'} />
      {query.isFetchNextPageError && (
        <Failure title="Earlier events cannot be shown" error={error} retry={showEarlier} />
      )}
      {hasNextPage && !query.isFetchNextPageError && (
        <Button variant="default" loading={isFetchingNextPage} onClick={showEarlier}>
          Show earlier events
        </Button>
      )}
    </>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No event matches the filters">
        <Anchor renderRoot={(props) => <Link to="/events" {...props} />}>Show all events</Anchor>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing has happened in this project for 30 days">
      <Text>
        What happens to its servers is shown here at once. Begin at{' '}
        <Anchor renderRoot={(props) => <Link to="/servers" {...props} />}>the servers</Anchor>.
      </Text>
    </Empty>
  );
}
