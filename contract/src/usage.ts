import { type Static, Type } from 'typebox';
import { SomeOf } from './filters.ts';
import { Closed, Nullable, Time, Timestamp, Word } from './values.ts';

/** The description of whether `figures` are stale. They are read together, and separately from others. */
export const whetherStale = (figures: string) =>
  `Whether ${figures} may be out of date: because the server was never read, as while it is being created, because it is ` +
  'running and was not read for 60 seconds, or because its node cannot be reached.';

/** The metrics that have a history, with their units. */
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

export const UsageQuery = Closed({
  from: Type.Optional(
    Time(
      'The beginning of the history, which is rounded down to the beginning of a step. The default is 24 hours before `to`.',
    ),
  ),
  to: Type.Optional(
    Time('The end of the history, which is rounded up to the end of a step. The default is now.'),
  ),
  step: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,7}[smhd]?$',
      description:
        'The length of a step, for which there is one value each: a number of seconds, or a number followed by `s`, `m`, ' +
        '`h` or `d`. It must be a multiple of 15 seconds. The default is chosen to give at most 500 steps.',
      examples: ['5m'],
      explain:
        'Must be a number of seconds, or a number followed by s, m, h or d, such as 15s or 5m.',
    }),
  ),
  metrics: SomeOf(
    Word([...usageMetrics], {
      description: 'The metrics to return. The default is all of them.',
      examples: ['cpu'],
    }),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

const Series = Type.Object(
  {
    metric: Word([...usageMetrics], { description: 'The name of the metric.', examples: ['cpu'] }),
    unit: Word(['percent', 'MiB', 'GiB', 'bytes'], {
      description:
        'The unit of the values. `percent`: the mean CPU usage, in percent of all cores of the server together. `MiB` ' +
        'and `GiB`: the mean memory and disk space in use. `bytes`: the sum of what was transferred in each step.',
      examples: ['percent'],
    }),
    values: Type.Array(
      Nullable(
        Type.Number({
          description: 'The value of a step. Null if it is unknown for the step.',
          examples: [12.5],
        }),
      ),
      {
        description: 'One value for each of `times`, in the same order.',
        examples: [[12.5, null, 13.1]],
      },
    ),
  },
  { title: 'UsageSeries', description: 'The values of one metric.' },
);

export const UsageHistory = Type.Object(
  {
    from: Timestamp('The beginning of the first step.'),
    to: Timestamp(
      'The end of the last step. It is later than now while the last step is not over.',
    ),
    step: Type.Integer({ description: 'The length of a step, in seconds.', examples: [300] }),
    times: Type.Array(Timestamp('The beginning of a step.'), {
      description: 'The beginnings of all steps, in order.',
    }),
    series: Type.Array(Series, { description: 'The values, one series for each metric.' }),
  },
  {
    title: 'UsageHistory',
    description: 'The resources that a server used over time, in steps of the same length.',
  },
);
export type UsageHistory = Static<typeof UsageHistory>;
