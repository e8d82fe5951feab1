import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { printOne } from '../output/print.ts';
import { moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { chooseContext } from './choose.ts';

type Whoami = Schemas['Whoami'] & { url: string };

const columns = columnsOf<Whoami>(
  {
    url: (who) => who.url,
    user: (who) => who.user?.email,
    token_id: (who) => who.token_id,
    project: (who) => who.project.name,
    scopes: (who) => who.scopes,
    expires_at: { of: (who) => who.expires_at, text: ({ expires_at }) => moment(expires_at) },
    allowed_networks: (who) => who.allowed_networks,
    address: (who) => who.address,
  },
  ['url', 'user', 'token_id', 'project', 'scopes'],
  ({ user, token_id }) => user?.email ?? String(token_id),
);

export const whoami = (cli: Cli) =>
  new Command('whoami')
    .description('Show the token in use, and what it allows.')
    .action(async () => {
      const { url } = chooseContext(cli.io, cli.globals.context);
      const { data } = await cli.berth().GET('/v1/whoami');
      await printOne(cli, columns, { url, ...data });
    });
