import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { columnsOf } from '../output/columns.ts';
import { printOne } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
import { version } from '../version.ts';

/** Without a sign-in, only the version of this program is known. */
type Versions = Partial<Schemas['Version']> & { client: string };

const columns = columnsOf<Versions>(
  {
    client: (versions) => versions.client,
    service: (versions) => versions.version,
    commit: (versions) => versions.commit,
    schema: (versions) => versions.schema,
  },
  ['client', 'service'],
  ({ version, client }) => version ?? client,
);

export const versions = (cli: Cli) =>
  new Command('version')
    .description('Show the versions of this program and of the service.')
    .action(async () => {
      await printOne(cli, columns, { client: version, ...(await versionOfService(cli)) });
    });

async function versionOfService(cli: Cli): Promise<Schemas['Version'] | undefined> {
  try {
    return (await cli.berth().GET('/v1/version')).data;
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== exitStatuses.not_signed_in) throw error;
    cli.note(error.message);
    return undefined;
  }
}
