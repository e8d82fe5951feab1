import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { printDone, printOne } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf } from '../verbs/change.ts';
import { noun } from '../verbs/noun.ts';
import { whole } from '../verbs/options.ts';

const columns = columnsOf<Schemas['Settings']>(
  {
    audit_months: ({ retention }) => retention.audit_months,
    operations_months: ({ retention }) => retention.operations_months,
    outputs_days: ({ retention }) => retention.outputs_days,
  },
  ['audit_months', 'operations_months', 'outputs_days'],
  () => 'settings',
);

const show = (cli: Cli) =>
  new Command('show')
    .summary('Show the settings of the installation')
    .description('Show the settings of the installation: how long records are kept.')
    .action(async () => {
      await printOne(cli, columns, (await cli.berth().GET('/v1/settings')).data);
    });

const update = (cli: Cli) =>
  new Command('update')
    .summary('Change the settings of the installation')
    .description('Change the settings of the installation. Older records are then removed.')
    .option('--audit-months <months>', 'how long the audit log is kept', whole)
    .option('--operations-months <months>', 'how long operations are kept', whole)
    .option('--outputs-days <days>', 'how long output of initial commands is kept', whole)
    .action(async ({ auditMonths, operationsMonths, outputsDays }) => {
      const retention = changesOf({
        audit_months: auditMonths,
        operations_months: operationsMonths,
        outputs_days: outputsDays,
      });
      const { data } = await cli.berth().PATCH('/v1/settings', { body: { retention } });
      await printDone(cli, columns, data, 'The settings are changed.');
    });

export const settings = noun('settings', 'See and change the settings of the installation.', [
  ...[show, update],
]);
