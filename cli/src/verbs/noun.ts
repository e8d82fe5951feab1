import { Command } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';

/** A command that consists of verbs. */
export const noun =
  (name: string, summary: string, verbs: readonly Verb[]): Verb =>
  (cli: Cli) => {
    const command = new Command(name).description(summary).enablePositionalOptions();
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
