import type { Operation } from '@berth/client';
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useActivity } from '../../live/live.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Time } from '../../shell/time.tsx';
import { operationsQuery } from './queries.ts';

/** What was done to a server, the latest first, and what is being done. */
export function Operations({ serverId }: { serverId: number }) {
  const { data, error, refetch } = useQuery(operationsQuery(serverId));
  if (error)
    return (
      <Failure title="The operations cannot be shown" error={error} retry={() => void refetch()} />
    );
  if (!data) return <Loading />;
  return (
    <Stack component="ol" gap="sm" p={0} m={0} className="plain-list">
      {data.map((operation) => (
        <li key={operation.id}>
          <OneOperation operation={operation} serverId={serverId} />
        </li>
      ))}
    </Stack>
  );
}

function OneOperation({ operation, serverId }: { operation: Operation; serverId: number }) {
  const activity = useActivity(serverId);
  const { id, kind, status, error, created_at } = operation;
  // Events are newer than what was read.
  const { progress, message } = activity?.id === id ? activity : operation;
  const isOpen = status === 'pending' || status === 'running';
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={500}>
          {kind.replaceAll('_', ' ')}{' '}
          <Text
            span
            size="sm"
            fw={400}
            c={status === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
          >
            {status}
          </Text>
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <Time at={created_at} relative />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {error?.detail ?? message}
      </Text>
      {isOpen && <Progress value={progress} size="sm" aria-label={message} />}
    </Stack>
  );
}
