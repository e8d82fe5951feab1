import { type Event, events } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { printList } from '../output/print.ts';
import { printable, printableOn } from '../output/style.ts';
import { about, eventColumns } from './columns.ts';
import { filters, queryOf } from './filters.ts';

export const watch = (cli: Cli) =>
  filters(new Command('watch'))
    .summary('Print events as they happen')
    .description(
      'Print events as they happen, until Ctrl-C. It reconnects by itself, and misses none. With -o json, each event is a line of JSON.',
    )
    .action(async ({ after, ...given }) => {
      const options = { filters: queryOf(given), after, signal: cli.io.signal };
      for await (const event of events(cli.berth(), options)) await print(cli, event);
    });

/** What a line says, which has no column for the server. */
const whose = (event: Event) =>
  'operation' in event.data && event.server_id !== null
    ? `server ${event.server_id}: ${about(event)}`
    : about(event);

async function print(cli: Cli, event: Event): Promise<void> {
  const { output } = cli.globals;
  if (output === 'json') return cli.print(printableOn(cli.io.stdout, JSON.stringify(event)));
  if (output !== 'table') return await printList(cli, eventColumns, [event], { header: false });
  const time = cli.style('dim', `${event.at.slice(11, 19)} UTC`);
  cli.print(`${time}  ${event.type.padEnd(18)}  ${printable(whose(event))}`);
}
