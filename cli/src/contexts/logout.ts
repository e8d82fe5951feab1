import { Command } from '@commander-js/extra-typings';
import { type Cli, connectTo } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { refuseContext } from './choose.ts';
import { readContexts, writeContexts } from './file.ts';

export const logout = (cli: Cli) =>
  new Command('logout')
    .description('Forget a context and its token.')
    .argument('[context]', 'its name; by default the current one')
    .option('--revoke', 'also revoke the token, and those that were created with it')
    .action(async (given, { revoke }) => {
      const { current, contexts } = readContexts(cli.io);
      const name = given ?? cli.globals.context ?? current;
      if (name === null) throw usageFailure('You are not signed in.');
      const context = contexts[name] ?? refuseContext(cli.io, name);
      if (revoke) {
        const berth = connectTo(cli.io, cli.progress, context);
        const { data } = await berth.GET('/v1/whoami');
        const path = { id: String(data.token_id) };
        await berth.DELETE('/v1/tokens/{id}', { params: { path } });
      }
      const { [name]: _, ...others } = contexts;
      const [next = null] = Object.keys(others);
      writeContexts(cli.io, { current: name === current ? next : current, contexts: others });
      cli.print(`${name} is forgotten${revoke ? ', and its token is revoked' : ''}.`);
    });
