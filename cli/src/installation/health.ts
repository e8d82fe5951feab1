import { BerthError } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { connectTo } from '../cli.ts';
import { serviceUrlOf } from '../contexts/choose.ts';
import { Reported } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { columnsOf } from '../output/columns.ts';
import { printList } from '../output/print.ts';
import { colouredStatus } from '../output/style.ts';
import type { Schemas } from '../schemas.ts';

type Health = Schemas['Health'];

const columns = columnsOf<Health['checks'][number]>(
  {
    name: (check) => check.name,
    status: {
      of: (check) => check.status,
      text: ({ status }, style) => colouredStatus(status, style),
    },
    reason: (check) => check.reason,
    detail: (check) => check.detail,
  },
  ['name', 'status', 'detail'],
  ({ name }) => name,
);

export const health = (cli: Cli) =>
  new Command('health')
    .description('Show whether the service works. The exit status is 7 if it is failing.')
    .option('--ready', 'only what a load balancer should know: whether to send requests there')
    .option('--columns <names>', `the columns: ${Object.keys(columns.all).join(', ')}`)
    .action(async ({ ready, columns: chosen }) => {
      const found = await ask(cli, ready ? '/v1/health/ready' : '/v1/health');
      const { output } = cli.globals;
      if (output === 'json') cli.print(JSON.stringify(found, null, 2));
      else await printList(cli, columns, found.checks, { columns: chosen });
      if (found.status === 'failing') throw new Reported(exitStatuses.unreachable);
    });

/** The response of a failing service, with the status 503, has the same form. */
async function ask(cli: Cli, path: '/v1/health' | '/v1/health/ready'): Promise<Health> {
  const url = serviceUrlOf(cli.io, cli.globals.context);
  let answered: Response | undefined;
  const berth = connectTo(cli.io, cli.progress, { url, retries: 0 });
  berth.use({
    onResponse: ({ response }) => {
      answered = response.clone();
    },
  });
  try {
    return (await berth.GET(path)).data;
  } catch (error) {
    if (error instanceof BerthError && answered?.status === 503) {
      return (await answered.json()) as Health;
    }
    throw error;
  }
}
