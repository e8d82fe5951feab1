import 'uplot/dist/uPlot.min.css';
import { Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, useMemo, useRef, useState } from 'react';
import { local } from '../../../format/times.ts';
import classes from './charts.module.css';
import { type Chart, chartsOf, type History, latestIn } from './charts.ts';
import { OneChart } from './one-chart.tsx';
import type { Span } from './span.ts';
import { UsageTable } from './table.tsx';
import { type Zoom, zoomWithin } from './zoom.ts';

interface ChartsProps {
  history: History;
  span: Span;
  specifications: { ram: number; disk: number };
}

/** The charts, and the same as a table. */
export default function Charts({ history, span, specifications: { ram, disk } }: ChartsProps) {
  const id = useId();
  const [isTable, { toggle }] = useDisclosure(false);
  const charts = useMemo(() => chartsOf(history, { ram, disk }, Date.now()), [history, ram, disk]);
  const { zoom, setZoom } = useZoom(charts, span);
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
      <Shown zoom={zoom} showAll={() => setZoom(undefined)} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" className={classes.charts}>
        {known.map((chart) => (
          <OneChart key={chart.title} {...{ chart, zoom, setZoom }} />
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

/** The part of the time that all charts show. It ends with another span, and when new data have left it behind. */
function useZoom(charts: readonly Chart[], span: Span) {
  const [chosen, choose] = useState<{ zoom: Zoom | undefined; span: Span }>();
  if (chosen && chosen.span !== span) choose(undefined);
  const setZoom = (zoom: Zoom | undefined) => choose({ zoom, span });
  const zoom = chosen?.span === span ? chosen.zoom : undefined;
  return { zoom: zoom && zoomWithin(charts[0]?.times ?? [], zoom), setZoom };
}

/** Which part of the time is shown, or how to choose one. */
function Shown({ zoom, showAll }: { zoom: Zoom | undefined; showAll: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const show = () => {
    showAll();
    // The button disappears.
    ref.current?.focus();
  };
  return (
    <Group ref={ref} className={classes.shown} data-whole={!zoom} tabIndex={-1} gap="xs" mih={30}>
      <Text size="xs" c={zoom ? 'var(--mantine-color-text)' : 'dimmed'} role="status">
        {zoom
          ? `From ${timeOf(zoom.from)} to ${timeOf(zoom.to)}`
          : 'Drag over a chart to zoom in, or press + and - in it.'}
      </Text>
      {zoom && (
        <Button variant="default" size="xs" onClick={show}>
          Whole span
        </Button>
      )}
    </Group>
  );
}

const timeOf = (seconds: number): string => local(new Date(seconds * 1000).toISOString());

function Missing({ charts }: { charts: readonly Chart[] }) {
  if (charts.length === 0) return null;
  const names = charts.map(({ title }) => title).join(', ');
  return (
    <Text size="xs" c="dimmed">
      Nothing was read in this time about: {names}.
    </Text>
  );
}
