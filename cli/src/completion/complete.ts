import { BerthError } from '@berth/client';
import type { Argument, Command, Option } from 'commander';
import { type Cli, connectTo } from '../cli.ts';
import { chooseContext } from '../contexts/choose.ts';
import { Failure } from '../errors/failure.ts';
import { nouns } from '../nouns.ts';
import { createProgram } from '../program.ts';
import { finders, type Named, placeholderOf } from './names.ts';

const longestMs = 5000;
const mostNames = 200;

/**
 * Prints what the last word can be, for the script that `berth completion` prints: one line each, with a tab before its
 * description.
 */
export async function complete(cli: Cli, words: readonly string[]): Promise<number> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const noun = before.find((word) => Object.hasOwn(nouns, word));
  const program = await createProgram(cli, noun === undefined ? [] : [noun]);
  const found = await candidates(cli, program as unknown as Command, before, last);
  const lines = found.map(({ name, about = '' }) => `${name}\t${about.replaceAll(/\s+/g, ' ')}`);
  cli.print(lines.join('\n'));
  return 0;
}

interface Position {
  command: Command;
  /** The option whose value is being typed. */
  option?: Option | undefined;
  /** The arguments before the word. */
  given: string[];
}

async function candidates(
  cli: Cli,
  program: Command,
  before: readonly string[],
  last: string,
): Promise<Named[]> {
  const { command, option, given } = positionAfter(program, before);
  const fits = ({ name }: Named) => name.toLowerCase().startsWith(last.toLowerCase());
  if (option)
    return (await valuesOf(cli, option, placeholderOf(option), last, before)).filter(fits);
  if (last.startsWith('--') && last.includes('=')) {
    const [flag = '', begin = ''] = last.split('=');
    const named = optionNamed(command, flag);
    const values = named ? await valuesOf(cli, named, placeholderOf(named), begin, before) : [];
    return values.map(({ name, about }) => ({ name: `${flag}=${name}`, about })).filter(fits);
  }
  if (last.startsWith('-')) return optionsOf(command).filter(fits);
  if (command.commands.length > 0) return verbsOf(command).filter(fits);
  const argument = argumentAt(command, given.length);
  if (!argument) return [];
  const names = await valuesOf(cli, argument, argument.name(), last, before);
  return names.filter((one) => fits(one) && !given.includes(one.name));
}

/** Where the words lead. */
function positionAfter(program: Command, words: readonly string[]): Position {
  let command = program;
  let given: string[] = [];
  let option: Option | undefined;
  for (const word of words) {
    if (option) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const named = word.includes('=') ? undefined : optionNamed(command, word);
      option = named?.required ? named : undefined;
      continue;
    }
    const verb = command.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (verb) [command, given] = [verb, []];
    else given = [...given, word];
  }
  return { command, option, given };
}

const optionNamed = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ short, long }) => short === flag || long === flag);

/** The last argument may take several words. */
const argumentAt = ({ registeredArguments: all }: Command, index: number): Argument | undefined =>
  all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);

const optionsOf = (command: Command): Named[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ name: long, about: description }] : []));

const verbsOf = (command: Command): Named[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ name: one.name(), about: one.summary() || one.description() }));

/** The choices of an option or an argument, or the names of the objects that it is called after. */
async function valuesOf(
  cli: Cli,
  { argChoices }: Pick<Option, 'argChoices'>,
  noun: string,
  begin: string,
  before: readonly string[],
): Promise<Named[]> {
  if (argChoices) return argChoices.map((name) => ({ name }));
  const find = finders[noun];
  if (!find) return [];
  const names: Named[] = [];
  try {
    for await (const named of find(connect(cli, before), begin, cli)) {
      if (names.push(named) >= mostNames) break;
    }
  } catch (error) {
    // Nobody can read an error while typing; the command itself will say it.
    if (!(error instanceof BerthError || error instanceof Failure || isTimeout(error))) throw error;
  }
  return names;
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';

/** A client that does not let somebody wait who presses the tab key. */
function connect({ io, progress }: Cli, before: readonly string[]) {
  const { url, token, project } = chooseContext(io, given(before, '-c', '--context'));
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(longestMs)]);
  const named = given(before, '-p', '--project') ?? project;
  return connectTo({ ...io, signal }, progress, { url, token, project: named, retries: 0 });
}

function given(words: readonly string[], short: string, long: string): string | undefined {
  const at = words.findIndex((word) => word === short || word === long);
  return at < 0 ? undefined : words[at + 1];
}
