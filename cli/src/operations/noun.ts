import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { printDone, printList } from '../output/print.ts';
import { printable, printableOn } from '../output/style.ts';
import type { Schemas } from '../schemas.ts';
import { each } from '../verbs/each.ts';
import { follow } from '../verbs/follow.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { choice, collected, defined, duration, pastTime } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { operationColumns } from './columns.ts';

const statuses = ['pending', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'] as const;
const kinds = [
  ...(['create', 'start', 'stop', 'restart', 'pause', 'unpause', 'set_password'] as const),
  ...(['resize', 'delete', 'suspend', 'unsuspend', 'move', 'rename'] as const),
  ...(['repair', 'adopt', 'evacuate', 'restore', 'declare_lost'] as const),
];

const list = listVerb({
  summary: 'List operations, the newest first',
  columns: operationColumns,
  options: (command) =>
    command
      .option('--server <server>', 'only those on this server', collected)
      .addOption(choice('-s, --status <status...>', 'only those in these states', statuses))
      .addOption(choice('--kind <kind...>', 'only those of these kinds', kinds))
      .option('-l, --label <selector>', 'only those on servers with these labels: env=prod')
      .option('--in-project <project>', 'only those of this project; for administrators', collected)
      .option('--since, --after <time>', 'only those requested since: 1h, 2026-11-27', pastTime)
      .option('--before <time>', 'only those requested before', pastTime)
      .option('-A, --all-projects', 'those of all projects; only administrators can list them'),
  rows: (berth, { server, status, kind, label, inProject, after, before, ...more }) => {
    const query = defined({
      ...{ limit: more.pageSize, sort: '-id' as const, server_id: server, status, kind },
      ...{ label_selector: label, project_id: inProject, all_projects: more.allProjects },
      ...{ from: after, to: before },
    });
    return items(berth, '/v1/operations', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show an operation',
  argument: '<operation>',
  columns: operationColumns,
  get: (berth, id) => berth.GET('/v1/operations/{id}', { params: { path: { id } } }),
});

const watch = (cli: Cli) =>
  new Command('watch')
    .summary('Wait until an operation has ended')
    .description('Wait until an operation has ended, and show its progress.')
    .argument('<operation>', 'its ID')
    .option('--timeout <duration>', 'wait at most this long', duration)
    .action(async (id, { timeout }) => {
      const ended = await follow(cli, id, `Operation ${id}`, { timeout });
      await printDone(cli, operationColumns, ended, ended.message);
    });

const output = (cli: Cli) =>
  new Command('output')
    .summary('Print the output of an initial command')
    .description('Print the output of an initial command of a new server.')
    .argument('<operation>', 'the ID of the operation that created the server')
    .argument('[index]', 'the number of the command, from 0', '0')
    .action(async (id, index) => {
      const params = { path: { id, index } };
      const path = '/v1/operations/{id}/commands/{index}/output';
      const { data } = await cli.berth().GET(path, { params, parseAs: 'text' });
      cli.io.stdout.write(printableOn(cli.io.stdout, String(data)));
    });

const cancel = (cli: Cli) =>
  new Command('cancel')
    .summary('Cancel operations that have not had an effect yet')
    .description(
      'Cancel operations that have not had an effect yet, such as those that wait for a node.',
    )
    .argument('<operation...>', 'their IDs')
    .action(async (ids) => {
      const { done, finish } = await each(cli, ids, async (id) => {
        const params = { path: { id } };
        return (await cli.berth().POST('/v1/operations/{id}/cancel', { params })).data;
      });
      const [first] = done;
      if (ids.length === 1 && first) {
        await printDone(cli, operationColumns, first, cancelled(first));
      } else if (cli.globals.output === 'table') {
        cli.print(done.map((one) => printable(cancelled(one))).join('\n'));
      } else {
        await printList(cli, operationColumns, done);
      }
      finish();
    });

const cancelled = ({ id, message }: Schemas['Operation']) => `Operation ${id}: ${message}`;

export const operation = noun('operation', 'Follow what is being done, and see what was done.', [
  ...[list, show, watch, cancel, output],
]);
