import uPlot from 'uplot';
import { type Chart, isolatedIn } from './charts.ts';
import { axisTime } from './span.ts';

const height = 140;
const timesHeight = 28;
const dash = [5, 4];
/** The opacity of the area below a line, in hexadecimal. */
const faint = '1a';

interface Plotted {
  /** The element of the chart, whose colours are used. */
  element: HTMLElement;
  chart: () => Chart;
  /** The step at the pointer has changed. It is null without one. */
  onStep: (index: number | null) => void;
}

/** Draws a chart, with the pointer at the same time in all of them. */
export function plot({ element, chart, onStep }: Plotted): uPlot {
  const color = (name: string) => () =>
    getComputedStyle(element).getPropertyValue(`--mantine-color-${name}`);
  const axis = {
    stroke: color('dimmed'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('default-border'), width: 1 },
    ticks: { show: false },
  };
  const isAlone = chart().lines.length === 1;
  const seconds = () => (chart().times.at(-1) ?? 0) - (chart().times[0] ?? 0);
  return new uPlot(
    {
      ...{ width: Math.max(element.clientWidth, 1), height },
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'usage' } },
      scales: { x: { time: true }, y: { range: () => [0, chart().ceiling] } },
      axes: [
        {
          ...axis,
          size: timesHeight,
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
      hooks: { setCursor: [({ cursor }) => onStep(cursor.idx ?? null)] },
    },
    dataOf(chart()),
    element,
  );
}

export const resize = (plotted: uPlot, width: number): void => plotted.setSize({ width, height });

export const dataOf = ({ times, lines }: Chart): uPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values]),
];
