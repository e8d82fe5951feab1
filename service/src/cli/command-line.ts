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
import {
  databaseError,
  databaseTrouble,
  isDatabaseUnavailable,
  reasonInWords,
  refusedByDatabase,
} from '../db/errors.ts';
import { joinDatabase } from '../db/open.ts';
import { printable } from '../lib/printable.ts';
import { fileTrouble } from '../lib/system-errors.ts';

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
  process.stdout.once('error', explainLostOutput);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const setupError = error instanceof SetupError ? error : fileError(error);
    if (setupError) explain(setupError);
    else if (!(error instanceof CommanderError)) throw error;
    process.exitCode = exitStatusOf(setupError ?? error);
  }
}

function fileError(error: unknown): SetupError | undefined {
  const trouble = fileTrouble(error);
  if (!trouble) return undefined;
  const file = error instanceof Error && 'path' in error ? String(error.path) : 'A file';
  const failed = `${file} can't be used: it ${trouble.failed} (${trouble.code}).`;
  return new SetupError(failed, `${trouble.wayOut} Then run this command again.`);
}

function explainLostOutput(error: Error): void {
  const trouble = fileTrouble(error);
  // The reader of a pipe, such as head(1), may not want all of it.
  if (!trouble) return;
  const failed = `The output ${trouble.failed} (${trouble.code}), so it is lost. The command itself was carried out.`;
  explain(new SetupError(failed, trouble.wayOut));
  process.exitCode = 1;
}

function exitStatusOf(error: unknown): number {
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
      // Unlike console.log, this reports errors.
      process.stdout.write(`${shown(answer, isJson(command))}\n`);
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
  if (!(error instanceof Error) || error instanceof SetupError) return undefined;
  if (databaseTrouble(error) === 'full') {
    return new SetupError(
      'The disk of the database is full.',
      'Free disk space there: "df -h" and "df -i" show what is used. Then run this command again.',
    );
  }
  return (
    noRoomError(error, config.dataDir, 'run this command again') ??
    databaseError(error, config, 'Then run this command again.') ??
    embeddedError(error, config.dataDir) ??
    refusedByDatabase(error, 'This command failed')
  );
}

/** A running command can lose the embedded PostgreSQL, which ends with its service. */
function embeddedError(error: Error, dataDir: string): SetupError | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return new SetupError(
    `The embedded PostgreSQL of ${dataDir} can't be used: ${reasonInWords(error)}.`,
    'If its service was just stopped, run this command again. Otherwise "npm run doctor" checks it.',
  );
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
