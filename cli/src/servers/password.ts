import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { operationColumns } from '../operations/columns.ts';
import { printDone } from '../output/print.ts';
import { revealing, secretFromStdin, typedTwice } from '../prompts/password.ts';
import { settle } from '../verbs/operation.ts';
import { waiting } from '../verbs/options.ts';

export const password = (cli: Cli) =>
  waiting(
    new Command('password')
      .summary('Set the password of root')
      .description('Set the password of root. By default a new one is generated and printed.')
      .argument('<server>', 'its name or ID')
      .option('--password-stdin', 'read it from standard input')
      .option('--ask', 'ask for it'),
  ).action(async (server, { passwordStdin, ask, ...options }) => {
    const chosen = passwordStdin
      ? await secretFromStdin(cli.io)
      : ask && (await typedTwice(cli.io, `Password of root of ${server}:`));
    await revealing(cli, async (reveal) => {
      let generated: string | undefined;
      const start = async (id: string) => {
        const answer = await cli.berth().POST('/v1/servers/{id}/password', {
          params: { path: { id } },
          body: chosen ? { password: chosen } : {},
        });
        generated = answer.data.password;
        reveal(generated);
        return answer;
      };
      const sentence = (name: string) => `The password of root of ${name} is set.`;
      const settled = await settle(cli, server, start, { ...options, sentence });
      const shown = generated ? { ...settled.operation, password: generated } : settled.operation;
      await printDone(cli, operationColumns, shown, settled.sentence);
    });
  });
