import type { Answer, Berth } from '@berth/client';
import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import type { Columns } from '../output/columns.ts';
import { printDone } from '../output/print.ts';
import { confirm } from './confirm.ts';
import { withNulls } from './options.ts';

interface Change<Row extends object, Options extends OptionValues> {
  name: string;
  summary: string;
  /** More about it, in whole sentences. */
  about?: string;
  argument: `<${string}>`;
  /** What the argument is, if it is not the name or the ID of an object. */
  argumentIs?: string;
  columns: Columns<Row>;
  options?: (command: Command<[string]>) => Command<[string], Options>;
  /** What will happen, if it must be confirmed. */
  warning?: (name: string) => string;
  request(berth: Berth, name: string, options: Options, cli: Cli): Promise<Answer<Row>>;
  /** What is true now. */
  sentence(row: Row, name: string): string;
  /** What only people at a terminal are told before it. */
  aside?(row: Row): string;
}

/** A verb that changes one object at once, and prints what it has become. */
export function changeVerb<Row extends object, Options extends OptionValues>(
  change: Change<Row, Options>,
): Verb {
  const { name, summary, about, argument, argumentIs = 'its name or ID', columns } = change;
  const { options = (command) => command as unknown as Command<[string], Options> } = change;
  return (cli) => {
    const base = new Command(name)
      .summary(summary)
      .description([`${summary}.`, about].filter(Boolean).join(' '))
      .argument(argument as '<name>', argumentIs);
    const command = options(base);
    if (change.warning) command.option('-y, --yes', 'do not ask for confirmation');
    return command.action(async (asked, given) => {
      const { yes, ...chosen } = withNulls(given as Options & { yes?: boolean });
      if (change.warning) await confirm(cli, change.warning(asked), yes);
      const { data } = await change.request(cli.berth(), asked, chosen as unknown as Options, cli);
      const isForPeople = cli.globals.output === 'table' && cli.io.stdout.isTTY;
      if (change.aside && isForPeople) cli.note(change.aside(data));
      await printDone(cli, columns, data, change.sentence(data, asked));
    });
  };
}

/** The body of an update, without what is not changed. Throws if it is empty. */
export function changesOf<T extends object>(
  values: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
  }
  throw usageFailure('There is nothing to change.', 'Add --help to see what can be changed.');
}
