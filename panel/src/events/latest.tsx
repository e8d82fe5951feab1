import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inBackground } from '../background.ts';
import { Failure, Loading } from '../shell/messages.tsx';
import { EventList } from './list.tsx';
import { eventsQuery } from './queries.ts';

const mostShown = 10;

/** What has happened to a server lately, besides the progress of its operations. */
export function LatestEvents({ serverId }: { serverId: number }) {
  const { data, error, refetch } = useInfiniteQuery(
    eventsQuery({ server: serverId, type: 'server' }),
  );
  if (error && !data) {
    const retry = () => inBackground(refetch());
    return <Failure title="The events cannot be shown" error={error} retry={retry} />;
  }
  if (!data) return <Loading />;
  const events = data.pages.flatMap((page) => page.events).slice(0, mostShown);
  return (
    <Stack gap="sm">
      {events.length > 0 ? (
        <EventList events={events} isOfOne />
      ) : (
        <Text size="sm">Nothing has happened to the server for 30 days.</Text>
      )}
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/events" search={{ server: serverId }} {...props} />}
      >
        All events of the server
      </Anchor>
    </Stack>
  );
}
