import type { Operation } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { osIfNamed } from '../operating-systems/named.ts';
import { columnsOf } from '../output/columns.ts';
import { printOne } from '../output/print.ts';
import { revealing } from '../prompts/password.ts';
import type { Schemas } from '../schemas.ts';
import { follow } from '../verbs/follow.ts';
import { choice, defined, diskSize, memory, pairs, waiting, whole } from '../verbs/options.ts';
import { accessOptions, readAccess } from './access.ts';
import { printNew } from './print-new.ts';
import { completeAnswers } from './questions.ts';
import { noteUserData } from './user-data.ts';

export const create = (cli: Cli) =>
  waiting(
    accessOptions(
      new Command('create')
        .summary('Create a server')
        .description(
          'Create a server. In a terminal, it asks for what is missing, with the choices of the installation.',
        )
        .argument('[name]', 'the host name')
        .option('--location <location>', 'where it runs')
        .option('--os <os>', 'the operating system: debian-12 or "Debian 12"')
        .option('--size <size>', 'a size of "berth size list", instead of --cpu, --ram and --disk')
        .option('--cpu <cores>', 'the number of CPU cores', whole)
        .option('--ram <amount>', 'the memory: 2048 (MiB) or 2G', memory)
        .option('--disk <amount>', 'the disk: 20 (GiB) or 20G', diskSize),
    )
      .option('--label <key=value>', 'a label; may be given several times', pairs)
      .option('--group <group>', 'an anti-affinity group: its servers run on different nodes')
      .option('--notes <text>', 'notes for people')
      .addOption(
        choice('--protect <action...>', 'protect it against these actions', ['delete', 'rebuild']),
      )
      .option('--dry-run', 'only say where it would run, and what prevents it'),
  ).action(async (name, { dryRun, wait, timeout, protect, ...options }) => {
    const os = await osIfNamed(cli, options.os);
    const answers = await completeAnswers(cli, { ...options, os, name });
    const { label: labels, group, notes } = options;
    const login = { ...options, ...answers.login };
    // The service checks a complete request. Nobody is to think of a password for it, which would be forgotten.
    if (dryRun && login.passwordLogin && !login.passwordStdin) login.generatePassword = true;
    const access = await readAccess(cli, login, `of root of ${answers.name}`);
    const protection = protect && Object.fromEntries(protect.map((action) => [action, true]));
    const body = {
      ...{ name: answers.name, location_id: answers.location, os_id: answers.os },
      ...answers.size,
      ...access.body,
      ...defined({ labels, group, notes, protection }),
    } satisfies Schemas['ServerCreate'];
    const berth = cli.berth();
    if (dryRun) {
      const { data } = await berth.POST('/v1/servers/dry-run', { body });
      return await printOne(cli, planColumns, data);
    }
    await revealing(cli, async (reveal) => {
      const { data: created } = await berth.POST('/v1/servers', { body });
      reveal(access.generated);
      for (const warning of created.warnings ?? []) cli.note(`Note: ${warning}`);
      const path = { id: String(created.id) };
      const print = async ({ id, status, error }: Schemas['OperationOutcome'], state: string) => {
        const { data: server } = await berth.GET('/v1/servers/{id}', { params: { path } });
        const password = access.generated;
        const operation = { id, status, error };
        await printNew(cli, { ...server, operation, ...defined({ password }) }, state);
      };
      const { id } = created.operation;
      if (!wait) {
        await print(created.operation, 'is being created');
        if (cli.globals.output === 'table')
          cli.note(`Follow it with "berth operation watch ${id}".`);
        return;
      }
      try {
        const ended = await follow(cli, id, answers.name, { timeout });
        noteUserData(cli, ended.user_data);
        noteFailedCommands(cli, ended);
        await print(ended, 'is created');
      } catch (error) {
        // The server exists, so that a script needs what it has been told.
        const isLate = error instanceof Failure && error.status === exitStatuses.timeout;
        if (isLate) await print(created.operation, 'is being created');
        throw error;
      }
    });
  });

function noteFailedCommands(cli: Cli, { id, commands }: Operation): void {
  for (const { index, exit_status } of commands ?? []) {
    if (exit_status === 0) continue;
    const which = `Initial command ${index + 1} of ${commands?.length}`;
    cli.note(
      `${which} failed with exit status ${exit_status}. Its output: berth operation output ${id} ${index}`,
    );
  }
}

const planColumns = columnsOf<Schemas['ServerDryRun']>(
  {
    node: (plan) => plan.node,
    addresses: (plan) => plan.ip_addresses.map(({ ip }) => ip),
    warnings: (plan) => plan.warnings,
  },
  ['node', 'addresses', 'warnings'],
  ({ node }) => node,
);
