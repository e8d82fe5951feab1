import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { noun } from '../verbs/noun.ts';
import { refuseContext } from './choose.ts';
import { readContexts, writeContexts } from './file.ts';

interface Shown {
  name: string;
  url: string;
  project: string | null;
  current: boolean;
}

const columns = columnsOf<Shown>(
  {
    name: (context) => context.name,
    url: (context) => context.url,
    project: (context) => context.project,
    current: {
      of: (context) => context.current,
      text: ({ current }, style) => (current ? style('green', '*') : ''),
    },
  },
  ['current', 'name', 'url', 'project'],
  ({ name }) => name,
);

const list = (cli: Cli) =>
  new Command('list')
    .summary('List the contexts')
    .description('List the contexts, without their tokens.')
    .action(async () => {
      const { current, contexts } = readContexts(cli.io);
      const rows = Object.entries(contexts).map(([name, { url, project = null }]) => ({
        ...{ name, url, project },
        current: name === current,
      }));
      await printList(cli, columns, rows);
    });

const use = (cli: Cli) =>
  new Command('use')
    .summary('Choose the context for the next commands')
    .description('Choose the context for the next commands, and its project with --project.')
    .argument('<context>', 'its name')
    .action((name) => {
      const { contexts } = readContexts(cli.io);
      const found = contexts[name] ?? refuseContext(cli.io, name);
      const { project } = cli.globals;
      const context = { ...found, ...(project !== undefined && { project }) };
      writeContexts(cli.io, { current: name, contexts: { ...contexts, [name]: context } });
      cli.print(`The context is ${name} now: ${context.url}.`);
    });

export const context = noun('context', 'List and choose the services that you are signed in to.', [
  ...[list, use],
]);
