import type { Berth } from '@berth/client';
import { Command, type CommandUnknownOpts, type OptionValues } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import type { Columns } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { emptyList } from './empty.ts';
import { whole } from './options.ts';

interface Listing<Row extends object, Options extends OptionValues> {
  /** The name of the verb; `list` by default. */
  name?: string;
  summary: string;
  /** More about it, in whole sentences. */
  about?: string;
  columns: Columns<Row>;
  /** Adds options, such as filters. */
  options?: (command: Command) => Command<[], Options>;
  rows(berth: Berth, options: Options & Page, cli: Cli): AsyncIterable<Row>;
}

export interface Page {
  /** How many there are in a page. */
  pageSize: number;
  /** How many are printed at most. */
  most: number;
}

const largestPage = 1000;

/** A verb that prints a list. */
export function listVerb<Row extends object, Options extends OptionValues>({
  name = 'list',
  summary,
  about,
  columns,
  options = (command) => command as Command<[], Options>,
  rows,
}: Listing<Row, Options>): Verb {
  return (cli) => {
    const command = options(
      new Command(name)
        .summary(summary)
        .description([`${summary}.`, about].filter(Boolean).join(' ')),
    )
      .option('--limit <number>', 'print at most this many', whole)
      .option(
        '--columns <names>',
        `the columns, separated by commas: ${Object.keys(columns.all).join(', ')}`,
      )
      .option('--no-header', 'print no names of columns');
    return command.action(async (chosen, own: unknown) => {
      const verb = own as CommandUnknownOpts;
      const { limit = Number.POSITIVE_INFINITY, ...given } = chosen as Options & Shared;
      const pageSize = Math.max(1, Math.min(limit, largestPage));
      const found: Row[] = [];
      if (limit > 0) {
        for await (const row of rows(
          cli.berth(),
          { ...(given as unknown as Options), pageSize, most: limit },
          cli,
        )) {
          if (found.push(row) >= limit) break;
        }
      }
      await printList(cli, columns, found, { ...given, empty: () => emptyList(verb) });
    });
  };
}

type Shared = { limit?: number; columns?: string; header: boolean };
