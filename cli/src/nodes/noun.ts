import { type Answer, type Berth, items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { canAsk } from '../io.ts';
import { columnsOf } from '../output/columns.ts';
import { printDone, printOne } from '../output/print.ts';
import { colouredStatus } from '../output/style.ts';
import { gib, mib, moment } from '../output/values.ts';
import { ask } from '../prompts/ask.ts';
import type { Schemas } from '../schemas.ts';
import { confirm } from '../verbs/confirm.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { type Started, settleAll } from '../verbs/operation.ts';
import { choice, collected, defined, waiting } from '../verbs/options.ts';

type Node = Schemas['Node'];
type Part = 'cpu' | 'ram' | 'disk';

const part = (key: Part, shown: (size: number) => string) => ({
  of: ({ allocated, allocatable }: Node) => `${allocated[key]}/${allocatable[key]}`,
  text: ({ allocated, allocatable, capacity, used }: Node) =>
    `${shown(allocated[key])} of ${shown(allocatable[key])} allocated, ${shown(used[key])} of ${shown(capacity[key])} used`,
});
const cores = (count: number) => String(Math.round(count * 10) / 10);

const columns = columnsOf<Node>(
  {
    id: (node) => node.id,
    name: (node) => node.name,
    location: (node) => node.location,
    status: {
      of: (node) => node.status,
      text: ({ status, slow_since }, style) =>
        [colouredStatus(status, style), slow_since && 'slow'].filter(Boolean).join(', '),
    },
    status_since: {
      of: (node) => node.status_since,
      text: ({ status_since }) => moment(status_since),
    },
    cordoned: (node) => node.cordoned,
    servers: (node) => node.servers,
    ...{ cpu: part('cpu', cores), ram: part('ram', mib), disk: part('disk', gib) },
    failure_domain: (node) => node.failure_domain,
    incus_version: (node) => node.incus_version,
    warnings: { of: (node) => node.warnings, text: ({ warnings }) => warnings.join('\n') || '-' },
    updated_at: { of: (node) => node.updated_at, text: ({ updated_at }) => moment(updated_at) },
  },
  ['id', 'name', 'location', 'status', 'servers', 'cpu', 'ram', 'disk'],
  ({ name }) => name,
);

const statuses = ['online', 'offline', 'evacuated', 'cordoned', 'gone', 'lost'] as const;

const list = listVerb({
  summary: 'List nodes',
  columns,
  options: (command) =>
    command
      .option('--search <text>', 'only those whose name begins with this text')
      .option('--location <location>', 'only those of this location', collected)
      .addOption(choice('-s, --status <status...>', 'only those with this status', statuses)),
  rows: (berth, { search, location, status, pageSize }) => {
    const query = defined({ limit: pageSize, q: search, location_id: location, status });
    return items(berth, '/v1/nodes', { params: { query } });
  },
});

interface Place {
  location?: string | undefined;
}

/** A command about one node. */
const aboutNode = (name: string, summary: string, about = '') =>
  new Command(name)
    .summary(summary)
    .description(`${summary}.${about && ` ${about}`}`)
    .argument('<node>', 'its name')
    .option('--location <location>', 'its location, if several have a node of this name');

const paramsOf = (name: string, { location }: Place) => ({
  path: { name },
  query: defined({ location_id: location }),
});

const show = (cli: Cli) =>
  aboutNode('show', 'Show a node').action(async (name, place) => {
    const params = paramsOf(name, place);
    await printOne(cli, columns, (await cli.berth().GET('/v1/nodes/{name}', { params })).data);
  });

type Params = ReturnType<typeof paramsOf>;

const cordoning =
  (
    verb: string,
    summary: string,
    about: string,
    request: (berth: Berth, params: Params) => Promise<Answer<Node>>,
  ): Verb =>
  (cli) =>
    aboutNode(verb, summary, about).action(async (name, place) => {
      const { data } = await request(cli.berth(), paramsOf(name, place));
      await printDone(cli, columns, data, `Node ${name} is ${data.status}.`);
    });

const cordon = cordoning(
  'cordon',
  'Place no new servers on a node',
  'Its servers keep running.',
  (berth, params) => berth.POST('/v1/nodes/{name}/cordon', { params, body: {} }),
);

const uncordon = cordoning('uncordon', 'Place new servers on a node again', '', (berth, params) =>
  berth.POST('/v1/nodes/{name}/uncordon', { params, body: {} }),
);

const operation = (
  verb: string,
  summary: string,
  about: string,
  done: string,
  request: (berth: Berth, params: Params) => Promise<Answer<Started>>,
  warning?: (name: string) => string,
): Verb => {
  return (cli) => {
    const command = waiting(aboutNode(verb, summary, about));
    if (warning) command.option('-y, --yes', 'do not ask for confirmation');
    return command.action(async (name, given) => {
      const { yes, location, ...options } = given as typeof given & { yes?: boolean };
      if (warning) await confirm(cli, warning(name), yes);
      const start = (one: string) => request(cli.berth(), paramsOf(one, { location }));
      await settleAll(cli, [name], start, { ...options, sentence: (one) => `${one} ${done}.` });
    });
  };
};

const evacuate = operation(
  'evacuate',
  'Move all servers of a node to other nodes, and take it out of service',
  'Running servers are shut down for the move.',
  'is evacuated',
  (berth, params) => berth.POST('/v1/nodes/{name}/evacuate', { params, body: {} }),
  (name) => `All servers of ${name} will be moved, and running ones are interrupted for it.`,
);

const restore = operation(
  'restore',
  'Take an evacuated node into service again',
  'Its servers are moved back.',
  'is in service again',
  (berth, params) => berth.POST('/v1/nodes/{name}/restore', { params, body: {} }),
);

const declareLost = (cli: Cli) =>
  waiting(
    aboutNode(
      'declare-lost',
      'Give up a node that will not come back, and the disks of its servers',
      'Switch the machine off first: if it keeps running, so do its servers, with their addresses.',
    ).option('--confirm <name>', 'the name of the node once more, instead of a question'),
  ).action(async (name, { confirm: given, location, ...options }) => {
    const confirmed = given ?? (await typedName(cli, name));
    const start = (one: string) =>
      cli.berth().POST('/v1/nodes/{name}/declare-lost', {
        params: paramsOf(one, { location }),
        body: { confirm: confirmed },
      });
    await settleAll(cli, [name], start, { ...options, sentence: (one) => `${one} is given up.` });
  });

async function typedName(cli: Cli, name: string): Promise<string> {
  if (!canAsk(cli.io)) {
    const message = `The disks of all servers of ${name} will be given up. This needs confirmation, and nobody can be asked here.`;
    const hint = `To confirm it, add --confirm ${name}.`;
    throw new Failure(message, { hint, status: exitStatuses.not_confirmed });
  }
  return await ask(cli.io, ({ input }, context) => {
    const message = `The disks of all servers of ${name} will be given up, and this cannot be undone. Type the name of the node:`;
    return input({ message }, context);
  });
}

export const node = noun('node', 'See nodes, and take them out of service.', [
  ...[list, show, cordon, uncordon, evacuate, restore, declareLost],
]);
