import type { components } from '@berth/client';
import { Group, Progress, Stack, Text } from '@mantine/core';
import classes from './nodes.module.css';
import type { Node } from './queries.ts';
import { amounts, levelOf, type Part, partNames, parts, roomOf, share } from './room.ts';

interface BarsProps {
  node: Node;
  location: components['schemas']['Location'] | undefined;
}

/** What a node has, what its servers may have, and what is in use. */
export function Bars({ node, location }: BarsProps) {
  if (node.capacity.cpu === 0) {
    return (
      <Text size="sm" c="dimmed">
        Its resources have not been read yet.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      {parts.map((part) => (
        <PartBars key={part} part={part} node={node} location={location} />
      ))}
    </Stack>
  );
}

function PartBars({ part, node, location }: BarsProps & { part: Part }) {
  const { limit, allocated, free, capacity, used } = roomOf(node, location, part);
  const [name, amount] = [partNames[part], amounts[part]];
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm">{amount(free)} free</Text>
      </Group>
      <Bar
        value={share(allocated, limit)}
        label={`${name} allocated`}
        text={`${amount(allocated)} of ${amount(limit)} allocated`}
      />
      <Bar
        value={share(used, capacity)}
        label={`${name} in use`}
        text={`${amount(used)} of ${amount(capacity)} in use`}
      />
    </div>
  );
}

function Bar({ value, label, text }: { value: number; label: string; text: string }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Progress
        className={classes.bar ?? ''}
        value={value}
        color={levelOf(value)}
        size="sm"
        aria-label={label}
      />
      <Text size="xs" c="dimmed" className={classes.figure ?? ''}>
        {text}
      </Text>
    </Group>
  );
}
