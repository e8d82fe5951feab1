import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { withCommands } from '../errors/commands.ts';
import { columnsOf } from '../output/columns.ts';
import { printOne } from '../output/print.ts';
import { colouredStatus, printable, printableOn } from '../output/style.ts';
import type { Schemas } from '../schemas.ts';
import { interval } from '../verbs/options.ts';
import { pauseFor } from '../verbs/pause.ts';
import { showVerb } from '../verbs/show.ts';

type Status = Schemas['ServerStatus'];

const statusColumns = columnsOf<Status>(
  {
    real_status: {
      of: (status) => status.real_status,
      text: ({ real_status }, style) => colouredStatus(real_status, style),
    },
    is_processing: (status) => status.is_processing,
    progress: (status) => status.progress,
    status: { of: (status) => status.status, text: ({ status }) => withCommands(status) },
  },
  ['real_status', 'is_processing', 'progress', 'status'],
  ({ real_status }) => real_status,
);

export const status = showVerb({
  name: 'status',
  summary: 'Show what a server is doing',
  argument: '<server>',
  columns: statusColumns,
  get: (berth, id) => berth.GET('/v1/servers/{id}/status', { params: { path: { id } } }),
});

export const watch = (cli: Cli) =>
  new Command('watch')
    .summary('Print each change of the status of a server')
    .description(
      'Print each change of the status of a server, until Ctrl-C or, with --until-idle, until nothing is being done. With -o json, each change is a line of JSON.',
    )
    .argument('<server>', 'its name or ID')
    .option('--until-idle', 'end when nothing is being done')
    .addOption(interval(1))
    .action(async (server, { untilIdle, interval }) => {
      const path = { id: server };
      let seen = '';
      for (;;) {
        const { data } = await cli.berth().GET('/v1/servers/{id}/status', { params: { path } });
        const now = JSON.stringify(data);
        if (now !== seen) await printStatus(cli, data);
        seen = now;
        if (untilIdle && !data.is_processing) return;
        await pauseFor(interval, cli.io.signal);
      }
    });

async function printStatus(cli: Cli, now: Status): Promise<void> {
  if (cli.globals.output === 'json') {
    return cli.print(printableOn(cli.io.stdout, JSON.stringify(now)));
  }
  if (cli.globals.output !== 'table') return await printOne(cli, statusColumns, now);
  const time = cli.style('dim', `${new Date().toISOString().slice(11, 19)} UTC`);
  const done = now.is_processing ? `${String(now.progress).padStart(3)} %  ` : '';
  cli.print(
    `${time}  ${colouredStatus(now.real_status, cli.style)}  ${done}${printable(withCommands(now.status))}`,
  );
}
