import { Text } from '@mantine/core';
import type { Server } from '../../../live/apply.ts';
import { useActivity } from '../../../live/live.tsx';

/** Why something is not offered: what `allowed_actions` depends on. */
export function NotNow({ server }: { server: Server }) {
  const activity = useActivity(server.id);
  const { status, suspension } = server;
  const word = suspension ? 'suspended' : status;
  return (
    <Text size="sm" c="dimmed">
      {activity
        ? 'This is not possible until what is in progress has ended.'
        : `This is not possible now: the server is ${word === 'error' ? 'in an error state' : word}.`}
    </Text>
  );
}
