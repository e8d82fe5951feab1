import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { explain, SetupError } from '../../../setup/commands.mjs';
import { type Config, loadConfig } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { noRoomError } from '../db/embedded/no-room.ts';
import { databaseError, databaseTrouble } from '../db/errors.ts';
import { joinDatabase } from '../db/open.ts';

/** A mistake on the command line, in words for who made it. */
export class UsageError extends Error {}

/** Answers what to print. */
export type Command = (db: Db, config: Config) => Promise<string>;

/**
 * Runs a tool beside the service, on its database, and prints what it answers. `read` makes a
 * command of the arguments, or undefined when help was asked for. A mistake of usage ends in 2, and
 * what a person has to mend elsewhere in 1.
 */
export async function runTool(
  usage: string,
  read: (args: string[]) => Command | undefined,
): Promise<void> {
  await runSteps(usage, (args) => {
    const command = read(args);
    return command && (() => onDatabase(command));
  });
}

/** The same for what opens its database itself. What a person can mend is explained, and ends in 1. */
export async function runSteps(
  usage: string,
  read: (args: string[]) => (() => Promise<string>) | undefined,
): Promise<void> {
  try {
    const run = read(process.argv.slice(2));
    console.log(run ? printable(await run()) : usage);
  } catch (error) {
    if (error instanceof SetupError) explain(error);
    else if (isUsageError(error)) console.error(`${error.message}\n\n${usage}`);
    else throw error;
    process.exitCode = error instanceof SetupError ? 1 : 2;
  }
}

/** What others wrote must not steer the terminal: all but letters, marks and line ends is spelled out. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

async function onDatabase(command: Command): Promise<string> {
  const config = loadConfig();
  return await explainingDatabase(config, async () => {
    const { db, close } = await joinDatabase(config);
    try {
      return await command(db, config);
    } finally {
      await close();
    }
  });
}

/** Runs `work`, and throws a `SetupError` where it failed for the database, or for a disk that is full. */
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
      'Make room there: "df -h" and "df -i" show what is used. Then run this command again.',
    );
  }
  const ofDirectory = noRoomError(error, config.dataDir, 'run this command again');
  return ofDirectory ?? databaseError(error, config, 'Then run this command again.');
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  // Of parseArgs: an option that it does not know, or one without its value.
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

/** An id as it is written on the command line. */
export function readId(text: string, what: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new UsageError(`"${text}" is not the id of ${what}.`);
}

/**
 * A line from standard input, such as a password: by a prompt that does not show what is typed, or
 * from a pipe.
 */
export async function readSecretLine(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  // A terminal would show what is typed wherever readline writes, so that is nowhere.
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

/** A time of our database to the second, with its zone. */
export function toSecond(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
