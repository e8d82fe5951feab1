import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
} from '@commander-js/extra-typings';
import { explain, SetupError } from '../../../setup/commands.mjs';
import { type Config, loadConfig } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { noRoomError } from '../db/embedded/no-room.ts';
import { databaseError, databaseTrouble } from '../db/errors.ts';
import { joinDatabase } from '../db/open.ts';
import { printable } from '../lib/printable.ts';

/** A usage error, with a message for the user of the command line. */
export class UsageError extends Error {}

/** The output of a command: as text, and as data for `--json`. */
export interface Answer {
  text: string;
  json: unknown;
}

/** Creates the program `npm run admin`, without its commands. */
export function newProgram() {
  return new Command('admin')
    .description('Administers an installation of Berth. Its service may be running.')
    .option('--json', 'print the result as JSON')
    .helpOption('-h, --help', 'show how a command is used')
    .configureHelp({ showGlobalOptions: true, commandUsage, subcommandDescription })
    .configureOutput({ outputError: (text, write) => write(asSentence(text)) })
    .showHelpAfterError('Add --help to see how the command is used.')
    .exitOverride();
}

export type Program = ReturnType<typeof newProgram>;

/** Formats the usage of a command as it is typed: `npm run token -- create [options]`. */
function commandUsage(command: CommandUnknownOpts): string {
  const names: string[] = [];
  for (let at: CommandUnknownOpts | null = command; at?.parent; at = at.parent)
    names.unshift(at.name());
  const [script = 'admin', ...rest] = names;
  return ['npm run', script, '--', ...rest, command.usage()].join(' ');
}

/** The description of a command in a list: its first sentence. */
const subcommandDescription = (command: CommandUnknownOpts) =>
  command.description().replace(/(?<=\.) .*/s, '');

const asSentence = (text: string) =>
  text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase());

/**
 * Runs the command in `args`, prints its output, and sets the exit status: 2 after a usage error, and 1 for problems
 * that must be fixed elsewhere.
 */
export async function runProgram(program: Program, args: string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof SetupError) explain(error);
    else if (!(error instanceof CommanderError)) throw error;
    process.exitCode = exitStatusOf(error);
  }
}

function exitStatusOf(error: Error): number {
  if (error instanceof SetupError) return 1;
  return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}

/** Creates the action of a command, which runs `work` and prints the result. */
export function printing<Args extends unknown[]>(
  work: (...args: Args) => Promise<string | Answer>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    // Commander passes the command itself as the last argument.
    const command = args.at(-1) as CommandUnknownOpts;
    try {
      const answer = await work(...args);
      console.log(shown(answer, isJson(command)));
    } catch (error) {
      if (error instanceof UsageError || error instanceof InvalidArgumentError) {
        command.error(printable(error.message));
      }
      throw error;
    }
  };
}

const isJson = (command: CommandUnknownOpts) =>
  (command.optsWithGlobals() as { json?: true }).json === true;

function shown(answer: string | Answer, isJson: boolean): string {
  const { text, json } =
    typeof answer === 'string' ? { text: answer, json: { message: answer } } : answer;
  return isJson ? JSON.stringify(json, null, 2) : printable(text);
}

/** Runs `work` on the database of the service, which may be running. */
export async function onDatabase<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig();
  return await explainingDatabase(config, async () => {
    const { db, close } = await joinDatabase(config);
    try {
      return await work(db, config);
    } finally {
      await close();
    }
  });
}

/** Runs `work`, and throws a `SetupError` if the database is unavailable or a disk is full. */
export async function explainingDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw troubleError(error, config) ?? error;
  }
}

function troubleError(
  error: unknown,
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): SetupError | undefined {
  if (error instanceof Error && databaseTrouble(error) === 'full') {
    return new SetupError(
      `The disk of the database is full: ${error.message}.`,
      'Free disk space there: "df -h" and "df -i" show what is used. Then run this command again.',
    );
  }
  const ofDirectory = noRoomError(error, config.dataDir, 'run this command again');
  return ofDirectory ?? databaseError(error, config, 'Then run this command again.');
}

/** Parses an id from the command line. */
export function readId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('An id is a whole number.');
}

/** An object that does not exist is not a usage error. */
export const noProject = (name: string) =>
  new SetupError(`There is no project "${name}".`, 'GET /v1/projects lists all projects.');

/** Collects the values of an option that may be given several times. */
export const collected = (value: string, before: string[] | undefined) => [
  ...(before ?? []),
  value,
];

/**
 * Reads a line from standard input, such as a password: from a pipe, or with a prompt that does not show the typed
 * text.
 */
export async function readSecretLine(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  // Discards the output of readline, which would show the typed text in a terminal.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY === true });
  if (stdin.isTTY) stderr.write(prompt);
  try {
    const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
    return String(line);
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}

/** Formats a time of the database to the second, with its time zone. */
export function toSecond(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
