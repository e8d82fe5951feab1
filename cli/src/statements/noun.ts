import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf, referring } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { bytes } from '../output/values.ts';
import { ownProject } from '../projects/own.ts';
import type { Schemas } from '../schemas.ts';
import { money, sums } from '../sizes/price.ts';
import { noun } from '../verbs/noun.ts';
import { defined } from '../verbs/options.ts';

type Line = Schemas['StatementServer'];

const hours = (
  key: 'hours' | 'hours_running' | 'core_hours' | 'ram_gb_hours' | 'disk_gb_hours',
) => ({
  of: (line: Line) => line[key],
  text: (line: Line) => line[key].toFixed(1),
});

const columns = columnsOf<Line>(
  {
    server_id: (line) => line.server_id,
    hostname: (line) => line.hostname,
    ...{ hours: hours('hours'), hours_running: hours('hours_running') },
    ...{ core_hours: hours('core_hours'), ram_gb_hours: hours('ram_gb_hours') },
    disk_gb_hours: hours('disk_gb_hours'),
    bytes_in: { of: (line) => line.bytes_in, text: ({ bytes_in }) => bytes(bytes_in) },
    bytes_out: { of: (line) => line.bytes_out, text: ({ bytes_out }) => bytes(bytes_out) },
    size: (line) => line.size,
    price: (line) => sums(line.prices),
    charges: {
      of: ({ charges }) => charges.map(({ size, amount }) => `${size}=${amount}`),
      text: ({ charges }) => charges.map(charge).join('\n') || '-',
    },
    location_id: referring('location', (line) => line.location_id),
    deleted_at: (line) => line.deleted_at,
    uuid: (line) => line.uuid,
  },
  [
    ...(['server_id', 'hostname', 'hours', 'hours_running', 'core_hours'] as const),
    ...(['ram_gb_hours', 'disk_gb_hours', 'bytes_in', 'bytes_out'] as const),
    ...(['size', 'price'] as const),
  ],
  ({ hostname }) => hostname,
);

const charge = ({
  size,
  hours: count,
  price_hourly,
  currency,
  amount,
}: Schemas['StatementCharge']) =>
  `${size}: ${count} h at ${money(price_hourly, currency)}: ${money(amount, currency)}`;

const show = (cli: Cli) =>
  new Command('show')
    .summary('Show what the servers of the project used in a month')
    .description(
      'Show what the servers of the project used in a month. -o json prints the whole statement, and -o csv the one of the API, for a spreadsheet.',
    )
    .argument('[month]', 'the month (UTC), such as 2026-11; this month by default')
    .option('--columns <names>', `the columns: ${Object.keys(columns.all).join(', ')}`)
    .option('--no-header', 'print no names of columns')
    .action(async (month, shape) => {
      const { output } = cli.globals;
      const params = { path: { id: await ownProject(cli) }, query: defined({ month }) };
      if (output === 'csv' && shape.columns === undefined) {
        const path = '/v1/projects/{id}/statement.csv';
        const { data } = await cli.berth().GET(path, { params, parseAs: 'text' });
        cli.io.stdout.write(String(data));
        return;
      }
      const { data } = await cli.berth().GET('/v1/projects/{id}/statement', { params });
      if (output === 'json') return cli.print(JSON.stringify(data, null, 2));
      if (output === 'yaml') return cli.print((await import('yaml')).stringify(data).trimEnd());
      await printList(cli, columns, data.servers, shape);
      if (data.prices.length > 0 && output === 'table') cli.print(`\nSum: ${sums(data.prices)}`);
      if (!data.is_final && output === 'table') cli.note(`${data.month} is not over yet.`);
    });

export const statement = noun('statement', 'See what a project has used in a month.', [show]);
