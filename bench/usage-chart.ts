import type { UsageHistory, UsageMetric } from '@berth/contract/usage';
import { parse, type Spec, View } from 'vega';

interface Panel {
  title: string;
  metrics: Partial<Record<UsageMetric, string>>;
  /** Converts a value, and the traffic in a step of so many seconds. */
  shown: (value: number, stepSeconds: number) => number;
}

const itself = (value: number) => value;
const panels: Panel[] = [
  { title: 'CPU, % of its own cores', metrics: { cpu: 'CPU' }, shown: itself },
  { title: 'Memory, MiB', metrics: { ram: 'memory' }, shown: itself },
  { title: 'Disk in use, GiB', metrics: { disk: 'disk' }, shown: itself },
  {
    title: 'Traffic, Mbit/s',
    metrics: { traffic_in: 'in', traffic_out: 'out' },
    shown: (bytes, seconds) => (bytes * 8) / seconds / 1e6,
  },
  {
    title: 'Disk traffic, MB/s',
    metrics: { disk_read: 'read', disk_write: 'written' },
    shown: (bytes, seconds) => bytes / seconds / 1e6,
  },
];

const [width, height] = [720, 90];
const colours = ['#1668c7', '#d9720b'];
const clock = { hours: '%H:%M', minutes: '%H:%M', seconds: '%H:%M:%S', date: '%d %b' };

/** Draws a server's usage as an SVG. A panel without values is left out, and null is a gap. */
export async function drawUsage(history: UsageHistory): Promise<string> {
  const drawn = panels
    .map((panel) => ({ ...panel, points: pointsOf(panel, history) }))
    .filter(({ points }) => points.some(({ value }) => value !== null));
  const times = [history.from, history.to].map((time) => Date.parse(time));
  const spec: Spec = {
    background: 'white',
    padding: 12,
    title: { text: titleOf(history), anchor: 'start', fontSize: 12, offset: 10 },
    layout: { columns: 1, padding: 14, align: 'each' },
    marks: drawn.map((panel) => group(panel, times)),
  };
  return await new View(parse(spec), { renderer: 'none' }).toSVG();
}

function titleOf({ from, to, step }: UsageHistory): string {
  const [begin, end] = [from, to].map((time) => time.slice(0, 16).replace('T', ' '));
  return `${begin} to ${end} UTC, a value each ${step < 60 ? `${step} s` : `${step / 60} min`}`;
}

interface Point {
  time: number;
  what: string;
  value: number | null;
}

/** The middle of each step, without the current step, which is incomplete. */
function pointsOf({ metrics, shown }: Panel, { times, step, series }: UsageHistory): Point[] {
  const over = times.filter((time) => Date.parse(time) + step * 1000 <= Date.now()).length;
  return series.flatMap(({ metric, values }) => {
    const what = metrics[metric];
    if (what === undefined) return [];
    return values.slice(0, over).map((value, index) => ({
      time: Date.parse(times[index] ?? '') + step * 500,
      what,
      value: value === null ? null : shown(value, step),
    }));
  });
}

type Mark = NonNullable<Spec['marks']>[number];

function group(panel: Panel & { points: Point[] }, times: number[]): Mark {
  const names = Object.values(panel.metrics);
  return {
    type: 'group',
    title: { text: panel.title, anchor: 'start', fontSize: 12, fontWeight: 'normal' },
    encode: { update: { width: { value: width }, height: { value: height } } },
    data: [{ name: 'points', values: panel.points }],
    scales: [
      { name: 'x', type: 'utc', domain: times, range: [0, width] },
      {
        name: 'y',
        domain: { data: 'points', field: 'value' },
        range: [height, 0],
        nice: true,
        zero: true,
      },
      { name: 'colour', type: 'ordinal', domain: names, range: colours },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', format: clock, tickCount: 8, grid: true },
      { orient: 'left', scale: 'y', tickCount: 3, grid: true, minExtent: 40, maxExtent: 40 },
    ],
    legends: names.length > 1 ? [{ stroke: 'colour', orient: 'right', symbolType: 'stroke' }] : [],
    marks: [line],
  };
}

const line: Mark = {
  type: 'group',
  from: { facet: { name: 'one', data: 'points', groupby: 'what' } },
  marks: [
    {
      type: 'line',
      from: { data: 'one' },
      encode: {
        update: {
          x: { scale: 'x', field: 'time' },
          y: { scale: 'y', field: 'value' },
          stroke: { scale: 'colour', field: 'what' },
          strokeWidth: { value: 2 },
          // This shows a single value between two gaps as a dot.
          strokeCap: { value: 'round' },
          defined: { signal: 'isValid(datum.value)' },
        },
      },
    },
  ],
};
