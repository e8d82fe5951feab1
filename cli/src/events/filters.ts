import type { Event } from '@berth/client';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { choice, collected, defined, whole } from '../verbs/options.ts';

/** All types, which the compiler checks. */
const known: Record<Event['type'], true> = {
  'server.created': true,
  'server.creating': true,
  'server.started': true,
  'server.stopped': true,
  'server.paused': true,
  'server.failed': true,
  'server.updated': true,
  'server.deleting': true,
  'server.deleted': true,
  'operation.created': true,
  'operation.progress': true,
  'operation.ended': true,
  'usage.allowance_reached': true,
  'node.online': true,
  'node.offline': true,
  'node.evacuated': true,
  'node.cordoned': true,
  'node.gone': true,
  'node.lost': true,
  'webhook.paused': true,
};
const types = Object.keys(known) as Event['type'][];

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
  type?: Event['type'][];
  server?: string[];
  label?: string;
  inProject?: string[];
  after?: number;
}

export const queryOf = ({ type, server, label, inProject }: Filters) =>
  defined({ type, server_id: server, label_selector: label, project_id: inProject });
