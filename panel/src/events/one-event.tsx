import type { Event } from '@berth/client';
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../format/units.ts';
import { NamedServer } from '../servers/named.tsx';
import { Fact, Facts } from '../shell/facts.tsx';
import { Time } from '../shell/time.tsx';
import { nameOf } from './type-words.ts';
import { detailOf, factsOf } from './words.ts';

interface EventProps {
  event: Event;
  /** Whether it is in brief, because it is clear which server the event is about. */
  isOfOne?: boolean;
  /** What was said earlier of the same operation. */
  earlier: readonly Event[];
}

/** What has happened to what, and all that the event says of it. */
export function OneEvent({ event, isOfOne = false, earlier }: EventProps) {
  const { server_id } = event;
  const detail = detailOf(event);
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Group gap={6} fz="sm" fw={600}>
          <span>{nameOf(event.type)}</span>
          {server_id !== null && !isOfOne && (
            <span className="breaks">
              <NamedServer id={server_id} />
            </span>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="span">
          <Time at={event.at} relative />
        </Text>
      </Group>
      {detail && (
        <Text size="sm" c="dimmed" className="breaks">
          {detail}
        </Text>
      )}
      {earlier.length > 0 && <Earlier events={earlier} />}
      {!isOfOne && <Data event={event} />}
    </Stack>
  );
}

function Earlier({ events }: { events: readonly Event[] }) {
  return (
    <details>
      <Text component="summary" size="xs" c="dimmed" w="fit-content">
        {counted(events.length, 'earlier message')}
      </Text>
      <Facts>
        {events.map((event) => (
          <Fact key={event.id} name={<Time at={event.at} />}>
            {detailOf(event)}
          </Fact>
        ))}
      </Facts>
    </details>
  );
}

function Data({ event: { id, type, at, data } }: { event: Event }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <Text component="summary" size="xs" c="dimmed" w="fit-content">
        Data<span className="sr-only"> of event {id}</span>
      </Text>
      {isOpen && (
        <Facts>
          <Fact name="event">
            {id}, {type}
          </Fact>
          <Fact name="at">
            <Time at={at} />
          </Fact>
          {factsOf(data).map(({ name, value }) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
    </details>
  );
}
