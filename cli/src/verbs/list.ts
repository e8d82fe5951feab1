import type { Berth } from '@berth/client';
import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import type { Columns } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { whole } from './options.ts';

interface Listing<Row extends object, Options extends OptionValues> {
  /** The name of the verb; `list` by default. */
  name?: string;
  summary: string;
  columns: Columns<Row>;
  /** Adds options, such as filters. */
  options?: (command: Command) => Command<[], Options>;
  rows(berth: Berth, options: Options & Page, cli: Cli): AsyncIterable<Row>;
}

/** The size of pages. */
export interface Page {
  pageSize: number;
}

const largestPage = 1000;

/** A verb that prints a list. */
export function listVerb<Row extends object, Options extends OptionValues>({
  name = 'list',
  summary,
  columns,
  options = (command) => command as Command<[], Options>,
  rows,
}: Listing<Row, Options>): Verb {
  return (cli) => {
    const command = options(new Command(name).summary(summary).description(`${summary}.`))
      .option('--limit <number>', 'print at most this many', whole)
      .option(
        '--columns <names>',
        `the columns, separated by commas: ${Object.keys(columns.all).join(', ')}`,
      )
      .option('--no-header', 'print no names of columns');
    if (name === 'list') command.alias('ls');
    return command.action(async (chosen) => {
      const { limit = Number.POSITIVE_INFINITY, ...given } = chosen as Options & Shared;
      const pageSize = Math.max(1, Math.min(limit, largestPage));
      const found: Row[] = [];
      if (limit > 0) {
        for await (const row of rows(
          cli.berth(),
          { ...(given as unknown as Options), pageSize },
          cli,
        )) {
          if (found.push(row) >= limit) break;
        }
      }
      await printList(cli, columns, found, given);
    });
  };
}

type Shared = { limit?: number; columns?: string; header: boolean };
