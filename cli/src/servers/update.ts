import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { printDone, printList } from '../output/print.ts';
import { printable } from '../output/style.ts';
import type { Schemas } from '../schemas.ts';
import { each } from '../verbs/each.ts';
import { follow } from '../verbs/follow.ts';
import { choice, defined, waiting } from '../verbs/options.ts';
import { serverColumns } from './columns.ts';

// The verbs that change what Berth records of a server.

const change = (cli: Cli, id: string, body: Schemas['ServerUpdate']) =>
  cli.berth().PATCH('/v1/servers/{id}', { params: { path: { id } }, body });

const shown = async (cli: Cli, id: number) =>
  (await cli.berth().GET('/v1/servers/{id}', { params: { path: { id: String(id) } } })).data;

export const rename = (cli: Cli) =>
  waiting(
    new Command('rename')
      .summary('Rename a server, also inside')
      .description('Rename a server, also inside: at once if it runs, otherwise at its next start.')
      .argument('<server>', 'its name or ID')
      .argument('<new-name>', 'the new host name'),
  ).action(async (server, name, { wait, timeout }) => {
    const { data } = await change(cli, server, { name });
    let now = data;
    if (wait && data.operation) {
      await follow(cli, data.operation.id, name, { timeout });
      // The response has the server as it was before the operation.
      now = { ...data, ...(await shown(cli, data.id)) };
    }
    await printDone(cli, serverColumns, now, `${server} is ${now.hostname} now.`);
  });

export const label = (cli: Cli) =>
  new Command('label')
    .summary('Add and remove labels of servers')
    .description(
      'Add and remove labels of servers: "env=prod" adds one or changes it, and "env-" removes it.',
    )
    .usage('[options] <server...> <label...>')
    .argument('<server...>', 'their names or IDs, and then key=value or key-')
    .action(async (given) => {
      const names = given.filter((one) => !isLabelChange(one));
      const changes = given.filter(isLabelChange);
      if (names.length === 0 || changes.length === 0) {
        throw usageFailure(
          names.length === 0 ? 'No server is named.' : 'No label is named.',
          'Write env=prod to add, env- to remove: berth server label web-1 web-2 env=prod',
        );
      }
      const labels = Object.fromEntries(changes.map(labelChange));
      const { done, finish } = await each(
        cli,
        names,
        async (name) => (await change(cli, name, { labels })).data,
      );
      await printEach(cli, names, done);
      finish();
    });

async function printEach(cli: Cli, names: readonly string[], done: Schemas['Server'][]) {
  const [first] = done;
  const sentence = ({ hostname }: Schemas['Server']) => `${hostname} has its labels.`;
  if (names.length === 1 && first) await printDone(cli, serverColumns, first, sentence(first));
  else if (cli.globals.output === 'table') {
    cli.print(done.map((one) => printable(sentence(one))).join('\n'));
  } else await printList(cli, serverColumns, done);
}

/** A host name has no =, and does not end with a hyphen. */
const isLabelChange = (text: string) => text.includes('=') || text.endsWith('-');

function labelChange(text: string): [string, string | null] {
  if (!text.includes('=')) return [text.slice(0, -1), null];
  const [key = '', ...value] = text.split('=');
  return [key, value.join('=')];
}

const protections = ['delete', 'rebuild'] as const;

export const update = (cli: Cli) =>
  new Command('update')
    .summary('Change the notes and the protection of a server')
    .description('Change the notes and the protection of a server.')
    .argument('<server>', 'its name or ID')
    .option('--notes <text>', 'notes for people; an empty text removes them')
    .addOption(choice('--protect <action...>', 'protect it against these actions', protections))
    .addOption(choice('--unprotect <action...>', 'allow these actions again', protections))
    .action(async (server, { notes, protect = [], unprotect = [] }) => {
      const set = (actions: readonly string[], isOn: boolean) =>
        actions.map((action) => [action, isOn]);
      const protection = [...set(protect, true), ...set(unprotect, false)];
      const body = defined({
        notes,
        protection: protection.length > 0 ? Object.fromEntries(protection) : undefined,
      });
      if (Object.keys(body).length === 0) {
        throw usageFailure('There is nothing to change.', 'Add --notes, --protect or --unprotect.');
      }
      const { data } = await change(cli, server, body);
      await printDone(cli, serverColumns, data, `${data.hostname} is changed.`);
    });
