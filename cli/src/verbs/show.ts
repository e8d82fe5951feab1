import type { Answer, Berth } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import type { Columns } from '../output/columns.ts';
import { printOne } from '../output/print.ts';

interface Showing<Row extends object> {
  name?: string;
  summary: string;
  /** The argument, such as `<server>`. The shell completes its values by this name. */
  argument: `<${string}>` | `[${string}]`;
  /** The one that is meant if none is given. */
  own?(cli: Cli): Promise<string>;
  columns: Columns<Row>;
  get(berth: Berth, name: string, cli: Cli): Promise<Answer<Row>>;
  /** More for people, which other formats do not have. */
  more?(berth: Berth, name: string): Promise<Partial<Row>>;
}

/** A verb that prints one object. */
export const showVerb =
  <Row extends object>({
    name = 'show',
    summary,
    argument,
    own,
    columns,
    get,
    more,
  }: Showing<Row>): Verb =>
  (cli) =>
    new Command(name)
      .summary(summary)
      .description(`${summary}.`)
      .argument(argument, `its name or ID${own ? '; by default the current one' : ''}`)
      .option(
        '--columns <names>',
        `the lines, separated by commas: ${Object.keys(columns.all).join(', ')}`,
      )
      .action(async (asked, { columns: chosen }) => {
        const berth = cli.berth();
        const one = asked === undefined && own ? await own(cli) : String(asked);
        const { data } = await get(berth, one, cli);
        const isForPeople = more && cli.globals.output === 'table';
        const shown = isForPeople ? { ...data, ...(await more(berth, one)) } : data;
        await printOne(cli, columns, shown, { columns: chosen });
      });
