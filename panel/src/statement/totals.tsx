import { Box, Card, Group, Text } from '@mantine/core';
import { prices, type Statement, totalsOf } from './measures.ts';

/** What all servers of the project used and cost together. */
export function Totals({ statement }: { statement: Statement }) {
  const cost = { name: 'Price', value: prices(statement.prices) };
  const totals = [...totalsOf(statement.servers), ...(statement.prices.length > 0 ? [cost] : [])];
  return (
    <Card withBorder>
      <Group component="dl" gap="md" m={0}>
        {totals.map(({ name, value }) => (
          <Box key={name} flex="1 0 120px">
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} fw={600} className="breaks">
              {value}
            </Text>
          </Box>
        ))}
      </Group>
    </Card>
  );
}
