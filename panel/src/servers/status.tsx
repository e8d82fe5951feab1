import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Server } from '../live/apply.ts';
import { useActivity } from '../live/live.tsx';
import classes from './status.module.css';

/** The state of a server in a word. */
export const wordOf = ({ status, suspension, unavailable }: Server): string =>
  suspension ? 'suspended' : unavailable ? 'unavailable' : status;

/** The state of a server, or the operation in progress. */
export function ServerStatus({ server }: { server: Server }) {
  const activity = useActivity(server.id);
  const word = wordOf(server);
  return (
    <Stack gap={2} miw={0}>
      <Group gap={8} wrap="nowrap">
        <span className={classes.dot} data-status={word} aria-hidden />
        <Text size="sm">{word}</Text>
      </Group>
      {activity && (
        <>
          <Text size="xs" c="dimmed" truncate title={activity.message}>
            {activity.message}
          </Text>
          <Progress value={activity.progress} size="xs" aria-label={activity.message} />
        </>
      )}
    </Stack>
  );
}
