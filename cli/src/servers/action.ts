import type { Answer, Berth } from '@berth/client';
import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import { confirm } from '../verbs/confirm.ts';
import { type Started, settleAll } from '../verbs/operation.ts';
import { waiting } from '../verbs/options.ts';

interface ServerAction<Options extends OptionValues> {
  name: string;
  summary: string;
  /** More about it, in whole sentences. */
  about?: string;
  /** What is true of a server afterwards: `is started`. */
  done: string;
  options?: (command: Command<[string[]]>) => Command<[string[]], Options>;
  /** What will happen to the named servers, if it must be confirmed. */
  warning?: (names: string) => string;
  request(
    berth: Berth,
    params: { path: { id: string } },
    options: Options,
  ): Promise<Answer<Started>>;
}

/** A verb that starts an operation on each of some servers. */
export function serverAction<Options extends OptionValues>(action: ServerAction<Options>): Verb {
  const { name, summary, about, done, request, warning } = action;
  const { options = (command) => command as unknown as Command<[string[]], Options> } = action;
  return (cli: Cli) => {
    const base = new Command(name)
      .summary(summary)
      .description([`${summary}.`, about].filter(Boolean).join(' '))
      .argument('<server...>', 'their names or IDs');
    const command = waiting(options(base));
    if (warning) command.option('-y, --yes', 'do not ask for confirmation');
    return command.action(async (servers, given) => {
      const { yes, ...chosen } = given as Options & { yes?: boolean; wait: boolean };
      if (warning) await confirm(cli, warning(and(servers)), yes);
      const start = (id: string) =>
        request(cli.berth(), { path: { id } }, chosen as unknown as Options);
      await settleAll(cli, servers, start, { ...chosen, sentence: (one) => `${one} ${done}.` });
    });
  };
}

/** `web-1, web-2 and web-3` */
export const and = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);
