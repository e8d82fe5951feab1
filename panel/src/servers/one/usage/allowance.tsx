import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inBackground } from '../../../background.ts';
import { Failure } from '../../../shell/messages.tsx';
import { trafficQuery } from './queries.ts';
import { allowanceOf } from './traffic.ts';

const colors = { usual: 'cyan.9', high: 'yellow.7', exceeded: 'red.8' };

/** What is used of the traffic allowance, if the server has one. */
export function Allowance({ serverId }: { serverId: number }) {
  const { data, error, refetch } = useQuery(trafficQuery(serverId));
  if (error) {
    return (
      <Failure
        title="The traffic allowance cannot be shown"
        error={error}
        retry={() => inBackground(refetch())}
      />
    );
  }
  const allowance = data && allowanceOf(data);
  if (!allowance) return null;
  const { title, rules, fault, percent, level } = allowance;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Progress value={Math.round(percent)} size="lg" color={colors[level]} aria-label={title} />
      <Text size="xs" c="dimmed">
        {rules}
      </Text>
      {fault && (
        <Text size="xs" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
    </Stack>
  );
}
