import type { Event } from '@berth/client';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { choice, collected, defined, whole } from '../verbs/options.ts';

const types = [
  ...(['server.created', 'server.creating', 'server.started', 'server.stopped'] as const),
  ...(['server.paused', 'server.failed', 'server.updated'] as const),
  ...(['server.deleting', 'server.deleted'] as const),
  ...(['operation.created', 'operation.progress', 'operation.ended'] as const),
  ...(['usage.allowance_reached', 'node.online', 'node.offline', 'node.evacuated'] as const),
  ...(['node.cordoned', 'node.gone', 'node.lost', 'webhook.paused'] as const),
] satisfies Event['type'][];

export const filters = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .addOption(choice('-t, --type <type...>', 'only those of these types', types))
    .option('--server <server>', 'only those of this server', collected)
    .option('-l, --label <selector>', 'only those of servers with these labels: env=prod')
    .option('--in-project <project>', 'only those of this project; for administrators', collected)
    .option('--after <id>', 'only those after the event with this ID', whole);

export interface Filters {
  type?: (typeof types)[number][];
  server?: string[];
  label?: string;
  inProject?: string[];
  after?: number;
}

export const queryOf = ({ type, server, label, inProject }: Filters) =>
  defined({ type, server_id: server, label_selector: label, project_id: inProject });
