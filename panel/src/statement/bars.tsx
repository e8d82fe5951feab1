import { Card, Group, NativeSelect, Progress, Stack, Text, Title } from '@mantine/core';
import {
  barsOf,
  isMeasure,
  type Measure,
  measureChoices,
  type StatementServer,
} from './measures.ts';

interface BarsProps {
  servers: readonly StatementServer[];
  measure: Measure;
  choose: (measure: Measure) => void;
}

/** The share that each server has in what the project used. */
export function Bars({ servers, measure, choose }: BarsProps) {
  const bars = barsOf(servers, measure);
  return (
    <Card withBorder component="section" aria-labelledby="shares">
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} size="h5" id="shares">
          Usage by server
        </Title>
        <NativeSelect
          size="xs"
          flex="none"
          miw={130}
          aria-label="Compare the servers by"
          data={measureChoices}
          value={measure}
          onChange={({ currentTarget: { value } }) => isMeasure(value) && choose(value)}
        />
      </Group>
      {bars.length === 0 && <Text size="sm">No server used any of this in the month.</Text>}
      <Stack component="ol" gap="sm" p={0} m={0} className="plain-list">
        {bars.map(({ id, name, value, percent }) => (
          <li key={id}>
            <Group justify="space-between" gap="xs" wrap="nowrap" mb={2}>
              <Text size="sm" truncate>
                {name}
              </Text>
              <Text size="sm" flex="none">
                {value}
              </Text>
            </Group>
            <Progress value={percent} size="lg" color="cyan.9" aria-label={`${name}: ${value}`} />
          </li>
        ))}
      </Stack>
    </Card>
  );
}
