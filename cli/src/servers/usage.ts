import { Command, Option } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { hasColors } from '../output/style.ts';
import { bytes, gib, mib, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { choice, defined, timeSpan } from '../verbs/options.ts';
import { timeAxis } from './time-axis.ts';

type History = Schemas['UsageHistory'];
type Series = Schemas['UsageSeries'];
type Metric = Series['metric'];

const metrics = [
  'cpu',
  'ram',
  'disk',
  'traffic_in',
  'traffic_out',
  'disk_read',
  'disk_write',
] as const;
const usual: Metric[] = ['cpu', 'ram', 'traffic_in', 'traffic_out'];

const titles: Record<Metric, string> = {
  cpu: 'CPU',
  ram: 'Memory',
  disk: 'Disk',
  traffic_in: 'Received',
  traffic_out: 'Sent',
  disk_read: 'Read from the disk',
  disk_write: 'Written to the disk',
};

const units: Record<Series['unit'], (value: number) => string> = {
  percent,
  MiB: mib,
  GiB: gib,
  bytes: (value) => bytes(Math.round(value)),
};

export const usage = (cli: Cli) =>
  new Command('usage')
    .summary('Draw what a server has used')
    .description('Draw what a server has used, by default in the last hour.')
    .argument('<server>', 'its name or ID')
    .addOption(
      new Option('--last <duration>', 'how far back: 1h, 7d')
        .argParser(timeSpan)
        .default(3600, '1h'),
    )
    .option('--step <duration>', 'the length of a step: 15s, 5m, 1h')
    .addOption(choice('--metric <metric...>', 'what to draw', metrics))
    .action(async (server, { last, step, metric }) => {
      const to = new Date();
      const from = new Date(to.getTime() - last * 1000);
      const query = defined({
        ...{ from: from.toISOString(), to: to.toISOString(), step },
        metrics: metric ?? (cli.globals.output === 'table' ? usual : undefined),
      });
      const params = { path: { id: server }, query };
      const { data } = await cli.berth().GET('/v1/servers/{id}/usage', { params });
      await print(cli, data);
    });

async function print(cli: Cli, history: History): Promise<void> {
  if (cli.globals.output !== 'table') return await printData(cli, history);
  const { default: plot } = await import('simple-ascii-chart');
  const width = Math.min(cli.io.stdout.columns ?? 80, 110) - 20;
  const charts = history.series.map((series) => {
    const times = history.times.map((time) => Date.parse(time));
    const points = series.values.flatMap((value, index): [number, number][] =>
      value === null ? [] : [[times[index] ?? 0, value]],
    );
    const title = cli.style('bold', titles[series.metric]);
    const shown = units[series.unit];
    if (points.length < 2) return `${title}\n  Nothing was read in this time.`;
    const { ticks, label } = timeAxis(points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0, width);
    const values = points.map(([, value]) => value);
    const highest = Math.max(...values);
    const chart = plot(points, {
      ...{ width, height: 6 },
      yRange: [0, highest === 0 ? 1 : highest],
      ...(hasColors(cli.io.stdout, cli.io.env) && { color: 'ansiCyan' as const }),
      customXAxisTicks: ticks,
      formatter: (value, { axis }) => (axis === 'y' ? shown(value) : label(value)),
    });
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${title}  now ${shown(values.at(-1) ?? 0)}, mean ${shown(mean)}, most ${shown(highest)}\n${chart}`;
  });
  cli.print(charts.join('\n\n'));
}

interface Step {
  time: string;
  values: Record<string, number | null>;
}

/** JSON and YAML are as the API has them; CSV has a line for each step. */
async function printData(cli: Cli, history: History): Promise<void> {
  const { output } = cli.globals;
  if (output === 'json') return cli.print(JSON.stringify(history, null, 2));
  if (output === 'yaml') return cli.print((await import('yaml')).stringify(history).trimEnd());
  const columns = columnsOf<Step>(
    {
      time: (step) => step.time,
      ...Object.fromEntries(
        history.series.map(({ metric }) => [metric, (step: Step) => step.values[metric]]),
      ),
    },
    [],
    ({ time }) => time,
  );
  const steps = history.times.map((time, index) => ({
    time,
    values: Object.fromEntries(
      history.series.map(({ metric, values }) => [metric, values[index] ?? null]),
    ),
  }));
  await printList(cli, columns, steps);
}
