import 'uplot/dist/uPlot.min.css';
import { Button, SimpleGrid, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, useMemo } from 'react';
import { type Chart, chartsOf, type History, latestIn } from './charts.ts';
import { OneChart } from './one-chart.tsx';
import { UsageTable } from './table.tsx';

interface ChartsProps {
  history: History;
  specifications: { ram: number; disk: number };
}

/** The charts, and the same as a table. */
export default function Charts({ history, specifications: { ram, disk } }: ChartsProps) {
  const id = useId();
  const [isTable, { toggle }] = useDisclosure(false);
  const charts = useMemo(() => chartsOf(history, { ram, disk }, Date.now()), [history, ram, disk]);
  const known = charts.filter((chart) => latestIn(chart) >= 0);
  if (known.length === 0) {
    return (
      <Text size="sm">
        Nothing was read in this time. Usage is read every 15 seconds while the server runs.
      </Text>
    );
  }
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {known.map((chart) => (
          <OneChart key={chart.title} chart={chart} />
        ))}
      </SimpleGrid>
      <Missing charts={charts.filter((chart) => !known.includes(chart))} />
      <div>
        <Button
          variant="default"
          size="xs"
          onClick={toggle}
          aria-expanded={isTable}
          aria-controls={id}
        >
          {isTable ? 'Hide the table' : 'Show as a table'}
        </Button>
        <div id={id}>{isTable && <UsageTable charts={known} />}</div>
      </div>
    </>
  );
}

function Missing({ charts }: { charts: readonly Chart[] }) {
  if (charts.length === 0) return null;
  const names = charts.map(({ title }) => title).join(', ');
  return (
    <Text size="xs" c="dimmed">
      Nothing was read in this time about: {names}.
    </Text>
  );
}
