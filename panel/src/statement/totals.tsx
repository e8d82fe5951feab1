import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { count } from '../format/units.ts';
import { prices, type Statement, totalsOf } from './measures.ts';

/** What all servers of the project used and cost together. */
export function Totals({ statement }: { statement: Statement }) {
  const totals = [
    { name: 'Servers', value: count(statement.servers.length) },
    ...totalsOf(statement.servers),
    ...(statement.prices.length > 0 ? [{ name: 'Price', value: prices(statement.prices) }] : []),
  ];
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm" m={0}>
      {totals.map(({ name, value }) => (
        <Card key={name} withBorder p="sm">
          <Stack gap={0}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} fw={600} className="breaks">
              {value}
            </Text>
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  );
}
