import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { printOne } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
import { version } from '../version.ts';

type Versions = Schemas['Version'] & { client: string };

const columns = columnsOf<Versions>(
  {
    client: (versions) => versions.client,
    service: (versions) => versions.version,
    commit: (versions) => versions.commit,
    schema: (versions) => versions.schema,
  },
  ['client', 'service'],
  ({ version }) => version,
);

export const versions = (cli: Cli) =>
  new Command('version')
    .description('Show the versions of this program and of the service.')
    .action(async () => {
      const { data } = await cli.berth().GET('/v1/version');
      await printOne(cli, columns, { client: version, ...data });
    });
