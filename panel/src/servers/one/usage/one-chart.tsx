import { Box, Group, Text, Title, useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { local } from '../../../format/times.ts';
import classes from './charts.module.css';
import { type Chart, inWords, latestIn, stepAfter, valuesAt } from './charts.ts';
import { dataOf, plot, resize } from './plot.ts';

/** A chart with the values at the pointer. It is a slider for keys and screen readers, which chooses the time. */
export function OneChart({ chart }: { chart: Chart }) {
  const id = useId();
  const scheme = useComputedColorScheme();
  const [pointed, setPointed] = useState<number | null>(null);
  const { ref: sized, width } = useElementSize();
  const element = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, element);
  const plotted = useRef<uPlot>(null);
  const latest = useRef(chart);
  latest.current = chart;

  useEffect(() => {
    if (!element.current) return;
    const made = plot({
      ...{ element: element.current, onStep: setPointed },
      chart: () => latest.current,
    });
    plotted.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => plotted.current?.setData(dataOf(chart)), [chart]);
  // Without new paths: making them before the first ones are drawn would forget the times.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the scheme.
  useEffect(() => plotted.current?.redraw(false, true), [scheme]);
  useEffect(() => {
    if (plotted.current && width > 0) resize(plotted.current, width);
  }, [width]);

  const index = Math.min(pointed ?? Math.max(latestIn(chart), 0), chart.times.length - 1);
  const at = local(new Date((chart.times[index] ?? 0) * 1000).toISOString());
  const values = valuesAt(chart, index);
  const point = (left: number) => plotted.current?.setCursor({ left, top: 0 });
  const press = (event: KeyboardEvent) => {
    const to = stepAfter(event.key, index, chart.times.length);
    const time = to === undefined ? undefined : chart.times[to];
    if (time === undefined || !plotted.current) return;
    event.preventDefault();
    point(plotted.current.valToPos(time, 'x'));
  };
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Group gap="md">
          <Title order={3} size="h6" id={id}>
            {chart.title}
          </Title>
          <Legend chart={chart} index={index} />
        </Group>
        <Text size="xs" aria-hidden>
          {/* With a word before it, since it is next to the axis and would be read as one of its marks. */}
          {pointed === null ? 'Latest' : at}
          {chart.lines.length === 1 && `: ${values}`}
        </Text>
      </Group>
      <Box
        ref={ref}
        className={classes.chart}
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={chart.times.length - 1}
        aria-valuenow={index}
        aria-valuetext={`${values}, at ${at}`}
        onKeyDown={press}
        onBlur={() => point(-1)}
      />
    </div>
  );
}

/** How the lines are drawn, and their values in a step. */
function Legend({ chart: { lines, shown }, index }: { chart: Chart; index: number }) {
  if (lines.length < 2) return null;
  return lines.map((line, at) => (
    <Group key={line.name} gap={6}>
      <span className={classes.line} data-line={at} aria-hidden />
      <Text size="xs">{inWords(line, shown, index)}</Text>
    </Group>
  ));
}
