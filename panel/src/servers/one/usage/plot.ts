import uPlot from 'uplot';
import { type Chart, isolatedIn } from './charts.ts';
import { axisTime } from './span.ts';
import type { Zoom } from './zoom.ts';

const height = 140;
const timesHeight = 28;
const dash = [5, 4];
/** The opacity of the area below a line, in hexadecimal. */
const faint = '1a';

interface Plotted {
  /** The element of the chart, whose colours are used. */
  element: HTMLElement;
  chart: () => Chart;
  /** The part of the time that is shown, if not all. */
  zoom: () => Zoom | undefined;
  /** The step at the pointer has changed. It is null without one. */
  onStep: (index: number | null) => void;
  /** A part of the time was selected. */
  onSelect: (selected: Zoom) => void;
}

/** Draws a chart, with the pointer at the same time in all of them. */
export function plot({ element, chart, zoom, onStep, onSelect }: Plotted): uPlot {
  const color = (name: string) => () =>
    getComputedStyle(element).getPropertyValue(`--mantine-color-${name}`);
  const axis = {
    stroke: color('dimmed'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('default-border'), width: 1 },
    ticks: { show: false },
  };
  const isAlone = chart().lines.length === 1;
  const seconds = () => {
    const { from, to } = zoom() ?? { from: chart().times[0] ?? 0, to: chart().times.at(-1) ?? 0 };
    return to - from;
  };
  return new uPlot(
    {
      ...{ width: Math.max(element.clientWidth, 1), height },
      legend: { show: false },
      cursor: {
        y: false,
        // A click is no selection, also of a hand that is not still.
        drag: { x: true, y: false, setScale: false, dist: 5 },
        // Only the pointer: each chart would have a selection of its own.
        sync: { key: 'usage', filters: { pub: (type) => type === 'mousemove' } },
      },
      scales: {
        x: {
          time: true,
          range: (_, first, last) => {
            const { from, to } = zoom() ?? { from: first, to: last };
            return [from, to];
          },
        },
        y: { range: () => [0, chart().ceiling] },
      },
      axes: [
        {
          ...axis,
          size: timesHeight,
          // Room for seconds.
          space: 64,
          values: (_, times) => times.map((time) => axisTime(time, seconds())),
        },
        {
          ...axis,
          size: 80,
          splits: () => [0, chart().ceiling / 2, chart().ceiling],
          values: (_, values) => values.map(chart().shown),
        },
      ],
      series: [
        {},
        ...chart().lines.map((_, index) => ({
          stroke: color(index === 0 ? 'anchor' : 'text'),
          width: 1.5,
          ...(isAlone && { fill: () => `${color('anchor')()}${faint}` }),
          ...(index > 0 && { dash }),
          points: {
            size: 5,
            filter: (_: uPlot, of: number) => isolatedIn(chart().lines[of - 1]?.values ?? []),
          },
        })),
      ],
      hooks: {
        setCursor: [({ cursor }) => onStep(cursor.idx ?? null)],
        setSelect: [
          (plotted) => {
            const { left, width } = plotted.select;
            const [from, to] = [plotted.posToVal(left, 'x'), plotted.posToVal(left + width, 'x')];
            plotted.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            onSelect({ from, to });
          },
        ],
      },
    },
    dataOf(chart()),
    element,
  );
}

export const resize = (plotted: uPlot, width: number): void => plotted.setSize({ width, height });

/** Draws the part of the time that is shown now, with the pointer at the same step as before, or at the nearest shown. */
export function redrawTime(plotted: uPlot, { times }: Chart): void {
  const time = times[plotted.cursor.idx ?? -1];
  plotted.batch(() => plotted.setData(plotted.data));
  if (time === undefined) return;
  const { min = time, max = time } = plotted.scales.x ?? {};
  const shown = Math.min(Math.max(time, min), max);
  plotted.setCursor({ left: plotted.valToPos(shown, 'x'), top: 0 });
}

export const dataOf = ({ times, lines }: Chart): uPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values]),
];
