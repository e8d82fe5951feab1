import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { osIfNamed } from '../operating-systems/named.ts';
import { operationColumns } from '../operations/columns.ts';
import { printDone } from '../output/print.ts';
import { revealing } from '../prompts/password.ts';
import { confirm } from '../verbs/confirm.ts';
import { settle } from '../verbs/operation.ts';
import { defined, waiting } from '../verbs/options.ts';
import { accessOptions, missingPassword, readAccess } from './access.ts';
import { noteUserData } from './user-data.ts';

export const rebuild = (cli: Cli) =>
  waiting(
    accessOptions(
      new Command('rebuild')
        .summary('Install a server anew, with the same addresses')
        .description(
          'Install a server anew, with the same addresses. All its data is lost. Afterwards it has only the SSH keys that --ssh-key names, and new host keys.',
        )
        .argument('<server>', 'its name or ID')
        .option('--os <os>', 'another operating system: debian-12 or "Debian 12"'),
    ).option('-y, --yes', 'do not ask for confirmation'),
  ).action(async (server, { os, yes, ...options }) => {
    const system = await osIfNamed(cli, os);
    const missing = missingPassword(cli, options);
    await confirm(
      cli,
      `All data of ${server} will be lost, and this cannot be undone.`,
      yes,
      missing && `A password of root is missing, too. ${missing}`,
    );
    const { body, generated } = await readAccess(cli, options, `of root of ${server}`);
    await revealing(cli, async (reveal) => {
      const start = async (id: string) => {
        const answer = await cli.berth().POST('/v1/servers/{id}/rebuild', {
          params: { path: { id } },
          body: { erase: true, ...body, ...defined({ os_id: system }) },
        });
        reveal(generated);
        return answer;
      };
      const sentence = (name: string) => `${name} is rebuilt.`;
      const settled = await settle(cli, server, start, { ...options, sentence });
      noteUserData(cli, settled.operation.user_data);
      if (!body.ssh_keys?.length) cli.note('No SSH key can log in to it: --ssh-key was not given.');
      const shown = generated ? { ...settled.operation, password: generated } : settled.operation;
      await printDone(cli, operationColumns, shown, settled.sentence);
    });
  });
