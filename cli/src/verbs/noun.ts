import { Command } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';

export const helpIs = 'show how a command is used';

/** A command that consists of verbs. */
export const noun =
  (name: string, summary: string, verbs: readonly Verb[]): Verb =>
  (cli: Cli) => {
    const command = new Command(name)
      .description(summary)
      .enablePositionalOptions()
      .helpCommand('help [command]', helpIs);
    for (const verb of verbs) {
      const one = verb(cli);
      command.addCommand(one.aliases(aliases[one.name()] ?? []));
    }
    return command;
  };

/** What people may type who know other programs. The help names the first one. */
const aliases: Record<string, string[]> = {
  list: ['ls'],
  show: ['get'],
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  revoke: ['delete', 'remove', 'rm'],
};
