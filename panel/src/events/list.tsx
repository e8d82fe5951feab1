import type { Event } from '@berth/client';
import { Card, Stack } from '@mantine/core';
import { memo } from 'react';
import { OneEvent } from './one-event.tsx';

/** Those that were shown before stay as they are when another one happens. */
const Shown = memo(OneEvent);

interface ListProps {
  events: readonly Event[];
  /** Whether all are about one server, and shown in brief. */
  isOfOne?: boolean;
}

export function EventList({ events, isOfOne = false }: ListProps) {
  return (
    <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Events">
      {events.map((event) => {
        const shown = <Shown event={event} isOfOne={isOfOne} />;
        if (isOfOne) return <li key={event.id}>{shown}</li>;
        return (
          <Card key={event.id} component="li" withBorder p="sm">
            {shown}
          </Card>
        );
      })}
    </Stack>
  );
}
