import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { printDone } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
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
    .summary('Add and remove labels')
    .description('Add and remove labels: "env=prod" adds one or changes it, and "env-" removes it.')
    .argument('<server>', 'its name or ID')
    .argument('<label...>', 'key=value or key-')
    .action(async (server, given) => {
      const labels = Object.fromEntries(given.map(labelChange));
      const { data } = await change(cli, server, { labels });
      await printDone(cli, serverColumns, data, `${data.hostname} has its labels.`);
    });

function labelChange(text: string): [string, string | null] {
  if (text.includes('=')) {
    const [key = '', ...value] = text.split('=');
    return [key, value.join('=')];
  }
  if (text.endsWith('-')) return [text.slice(0, -1), null];
  throw usageFailure(
    `${text} is not a change of labels.`,
    'Write env=prod to add, env- to remove.',
  );
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
