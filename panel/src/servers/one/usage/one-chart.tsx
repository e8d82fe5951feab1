import { Box, Group, Text, Title, useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { local } from '../../../format/times.ts';
import classes from './charts.module.css';
import { type Chart, inWords, latestIn, stepAfter, valuesAt } from './charts.ts';
import { dataOf, plot, redrawTime, resize } from './plot.ts';
import { stepsIn, type Zoom, zoomAfter, zoomWithin } from './zoom.ts';

interface OneChartProps {
  chart: Chart;
  /** The part of the time that is shown, if not all. */
  zoom: Zoom | undefined;
  setZoom: (zoom: Zoom | undefined) => void;
}

/** A chart with the values at the pointer. It is a slider for keys and screen readers, which chooses the time. */
export function OneChart({ chart, zoom, setZoom }: OneChartProps) {
  const id = useId();
  const scheme = useComputedColorScheme();
  const [pointed, setPointed] = useState<number | null>(null);
  const { ref: sized, width } = useElementSize();
  const element = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, element);
  const plotted = useRef<uPlot>(null);
  const select = (selected: Zoom) => {
    const part = zoomWithin(chart.times, selected);
    if (part) setZoom(part);
  };
  const latest = useRef({ chart, zoom, select });
  latest.current = { chart, zoom, select };

  useEffect(() => {
    if (!element.current) return;
    const made = plot({
      ...{ element: element.current, onStep: setPointed },
      chart: () => latest.current.chart,
      zoom: () => latest.current.zoom,
      onSelect: (selected) => latest.current.select(selected),
    });
    plotted.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => plotted.current?.setData(dataOf(chart)), [chart]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the times that are shown depend on the zoom.
  useEffect(() => {
    if (plotted.current) redrawTime(plotted.current, latest.current.chart);
  }, [zoom?.from, zoom?.to]);
  // Without new paths: making them before the first ones are drawn would forget the times.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the scheme.
  useEffect(() => plotted.current?.redraw(false, true), [scheme]);
  useEffect(() => {
    if (plotted.current && width > 0) resize(plotted.current, width);
  }, [width]);

  const steps = stepsIn(chart.times, zoom);
  const [first, last] = steps;
  const newest = latestIn(chart);
  const index = Math.min(Math.max(pointed ?? newest, first), last);
  const at = local(new Date((chart.times[index] ?? 0) * 1000).toISOString());
  const values = valuesAt(chart, index);
  const point = (left: number) => plotted.current?.setCursor({ left, top: 0 });
  const press = (event: KeyboardEvent) => {
    // The browser has keys of its own, also for zooming.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const zoomed = zoomAfter(event.key, chart.times, zoom, index);
    if (zoomed) setZoom(zoomed);
    const to = stepAfter(event.key, index, steps);
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
          {pointed === null && index === newest ? 'Latest' : at}
          {chart.lines.length === 1 && `: ${values}`}
        </Text>
      </Group>
      <Box
        ref={ref}
        className={classes.chart}
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={`${values}, at ${at}`}
        onKeyDown={press}
        onDoubleClick={() => setZoom(undefined)}
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
