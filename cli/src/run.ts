import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, createCli } from './cli.ts';
import { Reported } from './errors/failure.ts';
import { report } from './errors/report.ts';
import { exitStatuses } from './exit-statuses.ts';
import type { Io } from './io.ts';
import { nouns } from './nouns.ts';
import { assumeSize } from './output/size.ts';

/** Runs a command line, and returns its exit status. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  for (const output of [io.stdout, io.stderr]) assumeSize(output);
  const cli = createCli(io);
  if (args[0] === 'complete') {
    const { complete } = await import('./completion/complete.ts');
    return await complete(cli, args.slice(args[1] === '--' ? 2 : 1));
  }
  const { createProgram } = await import('./program.ts');
  const words = args.filter((word) => Object.hasOwn(nouns, word));
  const program = await createProgram(cli, words);
  try {
    await program.parseAsync(withHelp(program, args), { from: 'user' });
    return exitStatuses.done;
  } catch (error) {
    // Commander has printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatuses.usage;
    if (isInterruption(error, io)) return exitStatuses.interrupted;
    const status = report(cli, error);
    try {
      const errors = error instanceof Reported ? error.errors : [error];
      if (cli.command) await suggest(cli, cli.command, errors);
    } catch (another) {
      if (!isInterruption(another, io)) throw another;
    }
    return io.signal.aborted ? exitStatuses.interrupted : status;
  }
}

/** A noun without a verb shows its verbs. `help server list` is `server list --help`. */
function withHelp(program: CommandUnknownOpts, args: readonly string[]): string[] {
  const [first, ...asked] = args;
  // Otherwise, the error names what was probably meant.
  if (first === 'help' && asked.length > 0) {
    return isCommand(program, asked) ? [...asked, '--help'] : asked;
  }
  const { operands, unknown } = program.parseOptions([...args]);
  const [name, ...more] = operands;
  const named = program.commands.find((one) => one.name() === name);
  const isAlone = more.length === 0 && unknown.length === 0;
  const isHelp = isAlone && (name === undefined || (named?.commands.length ?? 0) > 0);
  return isHelp ? [...args, '--help'] : [...args];
}

/** What follows a command are its arguments. */
function isCommand({ commands }: CommandUnknownOpts, words: readonly string[]): boolean {
  const [first, ...more] = words;
  if (first === undefined || commands.length === 0) return true;
  const found = commands.find((one) => one.name() === first || one.aliases().includes(first));
  return found !== undefined && isCommand(found, more);
}

async function suggest(cli: Cli, command: CommandUnknownOpts, errors: readonly unknown[]) {
  const { suggestions } = await import('./errors/suggest.ts');
  for (const sentence of await suggestions(cli, command, errors)) cli.note(sentence);
}

/** Ctrl-C, in a prompt or elsewhere. */
const isInterruption = (error: unknown, { signal }: Io) =>
  signal.aborted || (error instanceof Error && error.name === 'ExitPromptError');
