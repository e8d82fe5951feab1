import { items } from '@berth/client';
import { osNamed } from '../operating-systems/named.ts';
import { listVerb } from '../verbs/list.ts';
import { choice, collected, defined, pastTime } from '../verbs/options.ts';
import { serverColumns } from './columns.ts';

const statuses = ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'] as const;
const orders = ['id', '-id', 'hostname', '-hostname', 'created_at', '-created_at'] as const;

export const list = listVerb({
  summary: 'List servers',
  columns: serverColumns,
  options: (command) =>
    command
      .addOption(choice('-s, --status <status...>', 'only servers in these states', statuses))
      .option('-l, --label <selector>', 'only servers with these labels: env=prod,tier!=db')
      .option('--search <text>', 'only servers whose name begins with this text')
      .option('--location <location>', 'only servers at this location', collected)
      .option('--os <os>', 'only servers with this operating system', collected)
      .option('--size <size>', 'only servers of this size', collected)
      .option('--name <name>', 'only servers with exactly this host name', collected)
      .option('--node <node>', 'only servers on this node', collected)
      .option('--group <group>', 'only servers of this anti-affinity group', collected)
      .option('--ip <address>', 'only the server with this address', collected)
      .option('--created-after <time>', 'only servers created since: 7d, 2026-11-27', pastTime)
      .option('--created-before <time>', 'only servers created before', pastTime)
      .option(
        '--in-project <project>',
        'only servers of this project; for administrators',
        collected,
      )
      .option('-A, --all-projects', 'servers of all projects; only administrators can list them')
      .addOption(choice('--sort <field>', 'the order; - is descending', orders)),
  async *rows(berth, options, cli) {
    const { status, sort, label, search, location, size, name, node, group, ip } = options;
    const os = options.os && (await Promise.all(options.os.map((one) => osNamed(cli, one))));
    const query = defined({
      ...{ limit: options.pageSize, status, sort, node, group, ip },
      ...{ label_selector: label, q: search, location_id: location, os_id: os },
      ...{ size, hostname: name, project_id: options.inProject },
      ...{ from: options.createdAfter, to: options.createdBefore },
      all_projects: options.allProjects,
    });
    yield* items(berth, '/v1/servers', { params: { query } });
  },
});
