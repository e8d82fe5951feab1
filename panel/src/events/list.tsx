import type { Event } from '@berth/client';
import { Card, Stack } from '@mantine/core';
import { memo } from 'react';
import { foldProgress } from './folded.ts';
import { OneEvent } from './one-event.tsx';

/** Those that were shown before stay as they are when another one happens. */
const Shown = memo(
  OneEvent,
  (before, now) => before.event === now.event && before.earlier.length === now.earlier.length,
);

interface ListProps {
  events: readonly Event[];
  /** Whether all are about one server, and shown in brief. */
  isOfOne?: boolean;
  /** Whether the progress of an operation is one of them, instead of many. */
  isFolded?: boolean;
}

export function EventList({ events, isOfOne = false, isFolded = false }: ListProps) {
  const shownEvents = isFolded
    ? foldProgress(events)
    : events.map((event) => ({ event, earlier: [] }));
  return (
    <Stack component="ol" gap="xs" p={0} m={0} className="plain-list" aria-label="Events">
      {shownEvents.map((one) => {
        // What is open stays open when another message comes.
        const { id: key } = one.earlier.at(-1) ?? one.event;
        const shown = <Shown {...one} isOfOne={isOfOne} />;
        if (isOfOne) return <li key={key}>{shown}</li>;
        return (
          <Card key={key} component="li" withBorder p="sm">
            {shown}
          </Card>
        );
      })}
    </Stack>
  );
}
