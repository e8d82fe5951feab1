import { Command } from '@commander-js/extra-typings';
import type { Cli, Verb } from '../cli.ts';

/** A command that consists of verbs. */
export const noun =
  (name: string, summary: string, verbs: readonly Verb[]): Verb =>
  (cli: Cli) => {
    const command = new Command(name).description(summary).enablePositionalOptions();
    for (const verb of verbs) command.addCommand(verb(cli));
    return command;
  };
