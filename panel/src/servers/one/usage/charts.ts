import type { components } from '@berth/client';
import { bytes, disk, memory, percent } from '../../../format/units.ts';

export type History = components['schemas']['UsageHistory'];
type Metric = components['schemas']['UsageSeries']['metric'];
type Values = readonly (number | null)[];

interface Line {
  /** Empty if the chart has only one line. */
  name: string;
  /** Null where nothing is known. */
  values: Values;
}

/** The lines of one chart, which have the same unit. */
export interface Chart {
  title: string;
  /** The beginnings of the steps, in seconds. */
  times: readonly number[];
  lines: readonly Line[];
  /** Where the vertical axis ends. */
  ceiling: number;
  shown: (value: number) => string;
}

interface Specifications {
  ram: number;
  disk: number;
}

const rate = (value: number): string => `${bytes(value)}/s`;

/** What is drawn of a history. Transfers are shown per second, and not for a step that is not over. */
export function chartsOf(history: History, { ram, disk: size }: Specifications, now: number) {
  const times = history.times.map((time) => Date.parse(time) / 1000);
  const found = new Map(history.series.map(({ metric, values }) => [metric, values]));
  const means = (metric: Metric): Values => found.get(metric) ?? times.map(() => null);
  const rates = (metric: Metric): Values =>
    means(metric).map((value, index) => {
      const end = (times[index] ?? 0) + history.step;
      return value === null || end * 1000 > now ? null : value / history.step;
    });
  const draw = (title: string, lines: Line[], shown: Chart['shown'], capacity?: number): Chart => {
    const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map(Number)));
    const ceiling = Math.max(highest, capacity ?? roundedUp(highest));
    return { title, times, lines, ceiling, shown };
  };
  return [
    draw('CPU', [{ name: '', values: means('cpu') }], percent, 100),
    draw('Memory', [{ name: '', values: means('ram') }], memory, ram),
    draw('Disk', [{ name: '', values: means('disk') }], disk, size),
    draw('Network', [line('in', rates('traffic_in')), line('out', rates('traffic_out'))], rate),
    draw(
      'Disk transfers',
      [line('read', rates('disk_read')), line('written', rates('disk_write'))],
      rate,
    ),
  ];
}

const line = (name: string, values: Values): Line => ({ name, values });

/** 1, 2 or 5, and zeros: the first such number that is not lower. */
export function roundedUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((digit) => digit * power >= value) ?? 10) * power;
}

/** The positions of values between gaps, which no line can show. */
export const isolatedIn = (values: Values): number[] =>
  values.flatMap((value, index) =>
    value !== null && isGap(values[index - 1]) && isGap(values[index + 1]) ? [index] : [],
  );

const isGap = (value: number | null | undefined) => value === null || value === undefined;

/** The values of a step, in words: `in 3 kB/s, out unknown`. */
export const valuesAt = ({ lines, shown }: Chart, index: number): string =>
  lines.map((line) => inWords(line, shown, index)).join(', ');

/** The value of a line in a step, after its name. */
export function inWords({ name, values }: Line, shown: Chart['shown'], index: number): string {
  const value = values[index];
  return `${name} ${isGap(value) ? 'unknown' : shown(Number(value))}`.trim();
}

/** The last step in which something is known, or -1. */
export const latestIn = ({ lines }: Chart): number =>
  Math.max(...lines.map(({ values }) => values.findLastIndex((value) => !isGap(value))));

const page = 10;

/** The step that a key leads to, between the first and the last; `undefined` for other keys. */
export function stepAfter(
  key: string,
  index: number,
  [first, last]: [first: number, last: number],
): number | undefined {
  const moves: Record<string, number> = {
    ...{ ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1 },
    ...{ PageDown: index - page, PageUp: index + page, Home: first, End: last },
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(Math.max(to, first), last);
}
