import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import { createLogUpdate } from 'log-update';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { colouredStatus, printable } from '../output/style.ts';
import { table } from '../output/table.ts';
import { bytes, gib, mib, percent } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { collect } from '../verbs/collect.ts';
import { choice, interval } from '../verbs/options.ts';
import { pauseFor } from '../verbs/pause.ts';

type Server = Schemas['Server'];

const orders = {
  cpu: (server: Server) => server.usage.cpu,
  ram: (server: Server) => server.usage.ram / server.specifications.ram,
  disk: (server: Server) => server.usage.disk / server.specifications.disk,
  traffic: ({ usage: { traffic } }: Server) => traffic.incoming.value + traffic.outgoing.value,
} as const;
type Order = keyof typeof orders;

export const top = (cli: Cli) =>
  new Command('top')
    .description('Show the usage of all servers, live, until Ctrl-C.')
    .addOption(
      choice('--sort <field>', 'the order', Object.keys(orders) as Order[]).default('cpu' as const),
    )
    .option('-l, --label <selector>', 'only servers with these labels')
    .option('-A, --all-projects', 'servers of all projects; only administrators can see them')
    .addOption(interval(5))
    .option('--once', 'print it once')
    .action(async ({ sort, label, allProjects, interval, once }) => {
      const { stdout, signal } = cli.io;
      if (!once && !stdout.isTTY) {
        throw new Failure('There is no terminal to show it in.', { hint: 'Add --once.' });
      }
      const query = {
        limit: 1000,
        ...(label !== undefined && { label_selector: label }),
        ...(allProjects && { all_projects: true }),
      };
      const look = async () =>
        await collect(items(cli.berth(), '/v1/servers', { params: { query } }));
      if (once) return cli.print(screen(cli, await look(), sort));
      const show = createLogUpdate(stdout as NodeJS.WriteStream);
      try {
        for (; ; await pauseFor(interval, signal)) show(screen(cli, await look(), sort));
      } finally {
        show.done();
      }
    });

function screen({ io, style }: Cli, servers: Server[], order: Order): string {
  const by = orders[order];
  const shown = servers.toSorted((one, other) => by(other) - by(one));
  const room = io.stdout.isTTY ? Math.max(1, (io.stdout.rows ?? 24) - 4) : shown.length;
  const running = servers.filter(({ status }) => status === 'started').length;
  const head = ['NAME', 'STATUS', 'CPU', 'MEMORY', 'DISK', 'RECEIVED', 'SENT', 'NODE'];
  const rows = shown.slice(0, room).map((server) => row(server, style));
  const rest = shown.length - rows.length;
  const count = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
  const title = `${count}, ${running} running   ${new Date().toISOString().slice(11, 19)} UTC`;
  return [
    style('bold', title),
    table([head.map((name) => style('bold', name)), ...rows]),
    ...(rest > 0 ? [style('dim', `and ${rest} more`)] : []),
  ].join('\n');
}

function row({ hostname, status, usage, specifications, node }: Server, style: Cli['style']) {
  const { incoming, outgoing } = usage.traffic;
  const full = (used: number, of: number, text: string) =>
    used > 0.9 * of ? style('red', text) : text;
  return [
    printable(hostname),
    colouredStatus(status, style),
    full(usage.cpu, 100, percent(usage.cpu)),
    full(usage.ram, specifications.ram, `${mib(usage.ram)} / ${mib(specifications.ram)}`),
    full(usage.disk, specifications.disk, `${gib(usage.disk)} / ${gib(specifications.disk)}`),
    bytes(incoming.value),
    bytes(outgoing.value),
    printable(node),
  ];
}
