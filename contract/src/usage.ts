import { type Static, Type } from 'typebox';
import { Closed, Nullable, Time, Timestamp, Word } from './values.ts';

/** Of figures that are read by themselves. */
export const whetherStale =
  'whether it runs and was not read for 60 seconds, or nobody knows how it is at the moment.';

/** What there is history of, and in which unit. */
export const usageUnits = {
  cpu: 'percent',
  ram: 'MiB',
  disk: 'GiB',
  traffic_in: 'bytes',
  traffic_out: 'bytes',
  disk_read: 'bytes',
  disk_write: 'bytes',
} as const;
export type UsageMetric = keyof typeof usageUnits;
export const usageMetrics = Object.keys(usageUnits) as [UsageMetric, ...UsageMetric[]];

const anyMetric = `(?:${usageMetrics.join('|')})`;

export const UsageQuery = Closed({
  from: Type.Optional(Time('Where it begins; without it, 24 hours before `to`.')),
  to: Type.Optional(Time('Where it ends; without it, now.')),
  step: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,7}[smhd]?$',
      description:
        'What each value is of: seconds, or a number with `s`, `m`, `h` or `d`; a multiple of 15 s. ' +
        'Without it, one that suits a chart.',
      examples: ['5m'],
      explain:
        'Must be a number of seconds, or one with s, m, h or d behind it, such as 15s or 5m.',
    }),
  ),
  metrics: Type.Optional(
    Type.String({
      pattern: `^${anyMetric}(?:,${anyMetric})*$`,
      description: `Which of ${usageMetrics.join(', ')}; with commas between. Without it, all.`,
      examples: ['cpu,traffic_out'],
      explain: `Must be some of ${usageMetrics.join(', ')}, with commas between.`,
    }),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

const Series = Type.Object(
  {
    metric: Word([...usageMetrics], { description: 'What it is of.', examples: ['cpu'] }),
    unit: Word(['percent', 'MiB', 'GiB', 'bytes'], {
      description:
        '`percent` of the own cores. In bytes is what passed in each step; the others are means.',
      examples: ['percent'],
    }),
    values: Type.Array(Nullable(Type.Number()), {
      description: 'One for each of `times`; null where nothing is known.',
      examples: [[12.5, null, 13.1]],
    }),
  },
  { title: 'UsageSeries' },
);

export const UsageHistory = Type.Object(
  {
    from: Timestamp('Where the first step begins.'),
    to: Timestamp('Where the last step ends.'),
    step: Type.Integer({ description: 'Seconds.', examples: [300] }),
    times: Type.Array(Timestamp('Where a step begins.')),
    series: Type.Array(Series),
  },
  {
    title: 'UsageHistory',
    description: 'What a server used, step by step, all over the same times.',
  },
);
export type UsageHistory = Static<typeof UsageHistory>;
