import type { Event } from '@berth/client';
import { Card, Stack } from '@mantine/core';
import { OneEvent } from './one-event.tsx';

interface ListProps {
  events: readonly Event[];
  /** Whether all are about one server. */
  isOfOne?: boolean;
}

export function EventList({ events, isOfOne = false }: ListProps) {
  return (
    <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Events">
      {events.map((event) => (
        <Card key={event.id} component="li" withBorder p="sm">
          <OneEvent event={event} isOfOne={isOfOne} />
        </Card>
      ))}
    </Stack>
  );
}
