import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';

export const metrics = (cli: Cli) =>
  new Command('metrics')
    .description('Print the metrics in the format of Prometheus.')
    .action(async () => {
      const { data } = await cli.berth().GET('/metrics', { parseAs: 'text' });
      cli.io.stdout.write(String(data));
    });
