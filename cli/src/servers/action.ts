import { type Answer, type Berth, BerthError } from '@berth/client';
import { Command, type OptionValues } from '@commander-js/extra-typings';
import pLimit from 'p-limit';
import type { Cli, Verb } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { and } from '../output/values.ts';
import { confirm } from '../verbs/confirm.ts';
import { mostAtOnce } from '../verbs/each.ts';
import { type Started, settleAll } from '../verbs/operation.ts';
import { waiting } from '../verbs/options.ts';
import { actOnAll, type BulkOptions, type BulkVerb } from './bulk.ts';

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
  /** The name of the action on all servers that labels select, if there is one. */
  bulk?: BulkVerb;
  request(
    berth: Berth,
    params: { path: { id: string } },
    options: Options,
  ): Promise<Answer<Started>>;
}

/** A verb that starts an operation on each of some servers. */
export function serverAction<Options extends OptionValues>(action: ServerAction<Options>): Verb {
  const { name, summary, about, done, request, warning, bulk } = action;
  const { options = (command) => command as unknown as Command<[string[]], Options> } = action;
  return (cli: Cli) => {
    const base = new Command(name)
      .summary(summary)
      .description([`${summary}.`, about].filter(Boolean).join(' '))
      .argument((bulk ? '[server...]' : '<server...>') as '<server...>', 'their names or IDs');
    const command = waiting(options(base));
    if (warning) command.option('-y, --yes', 'do not ask for confirmation');
    if (bulk) {
      command
        .option('-l, --label <selector>', 'all servers of the project with these labels: env=test')
        .option('--dry-run', 'only say which servers would accept it');
    }
    return command.action(async (servers, given) => {
      const { yes, ...chosen } = given as Options & { yes?: boolean; wait: boolean };
      if (bulk) {
        const forAll = given as unknown as BulkOptions;
        refuseContradiction(servers, forAll.label);
        const isForAll = forAll.label !== undefined || forAll.dryRun;
        if (isForAll) return await actOnAll(cli, bulk, servers, forAll, warning);
      }
      const names = await shownNames(cli, servers);
      const shownName = (one: string) => names.get(one) ?? one;
      if (warning) await confirm(cli, warning(and(servers.map(shownName))), yes);
      const start = (id: string) =>
        request(cli.berth(), { path: { id } }, chosen as unknown as Options);
      const sentence = (one: string) => `${shownName(one)} ${done}.`;
      await settleAll(cli, servers, start, { ...chosen, sentence });
    });
  };
}

/** The names of servers that are given by their IDs or UUIDs, because afterwards some may not exist any more. */
async function shownNames(cli: Cli, servers: readonly string[]): Promise<Map<string, string>> {
  const unnamed = [...new Set(servers)].filter((one) =>
    /^\d+$|^[0-9a-f]{8}(-[0-9a-f]+){4}$/i.test(one),
  );
  const limit = pLimit(mostAtOnce);
  const found = unnamed.map((id) =>
    limit(async (): Promise<[string, string][]> => {
      try {
        const { data } = await cli.berth().GET('/v1/servers/{id}', { params: { path: { id } } });
        return [[id, `${data.hostname} (${data.id})`]];
      } catch (error) {
        // The action says why.
        if (error instanceof BerthError) return [];
        throw error;
      }
    }),
  );
  return new Map((await Promise.all(found)).flat());
}

function refuseContradiction(servers: readonly string[], label: string | undefined): void {
  if (servers.length > 0 === (label === undefined)) return;
  const message = servers.length > 0 ? 'Servers are named and selected.' : 'No server is named.';
  throw usageFailure(message, 'Give names or IDs, or select servers with --label env=test.');
}
