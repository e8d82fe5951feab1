import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { canAsk, type Io } from '../io.ts';
import { ask } from './ask.ts';
import { readStdin } from './stdin.ts';

export interface PasswordOptions {
  passwordStdin?: boolean | undefined;
  generatePassword?: boolean | undefined;
}

export interface Password {
  password: string;
  /** Whether nobody knows it yet. */
  isGenerated: boolean;
}

const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 24;

/** Without letters that look alike: about 140 bits. */
export async function generatePassword(): Promise<string> {
  // Loaded only now, because it takes a tenth of the time of a command.
  const { randomInt } = await import('node:crypto');
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}

export const howToGivePassword =
  'Add --password-stdin and write it to standard input, or add --generate-password.';

/**
 * A password from standard input, generated, or typed twice. It is never an argument, because others on the machine can
 * see arguments, and the shell stores them.
 */
export async function newPassword(
  cli: Cli,
  { passwordStdin, generatePassword: isGenerated }: PasswordOptions,
  whose: string,
): Promise<Password> {
  if (passwordStdin) return { password: await secretFromStdin(cli.io), isGenerated: false };
  if (isGenerated) return { password: await generatePassword(), isGenerated: true };
  if (!canAsk(cli.io)) {
    throw usageFailure(`A password ${whose} is missing.`, howToGivePassword);
  }
  const typed = await hidden(cli.io, `Password ${whose} (empty to generate one):`);
  if (typed === '') return { password: await generatePassword(), isGenerated: true };
  const again = await hidden(cli.io, 'The same password again:');
  if (typed !== again) throw usageFailure('The passwords are not the same.');
  return { password: typed, isGenerated: false };
}

type Reveal = (password: string | undefined) => void;

/**
 * Does work that reveals a password that nobody knows yet, as soon as the service has it. JSON and YAML have it in
 * their object, and if the work fails before, it is noted: this is the only time that it can be shown.
 */
export async function revealing(
  { globals: { output }, print, note }: Cli,
  work: (reveal: Reveal) => Promise<void>,
): Promise<void> {
  let unseen: string | undefined;
  const sentence = (password: string) => `Password of root: ${password}`;
  try {
    await work((password) => {
      if (password === undefined) return;
      if (output === 'json' || output === 'yaml') unseen = password;
      else (output === 'table' ? print : note)(sentence(password));
    });
  } catch (error) {
    if (unseen !== undefined) note(sentence(unseen));
    throw error;
  }
}

/** A password that is typed twice. */
export async function typedTwice(io: Io, message: string): Promise<string> {
  if (!canAsk(io)) throw usageFailure('Nobody can be asked for a password here.');
  const typed = await hidden(io, message);
  if (typed === '') throw usageFailure('The password is empty.');
  if (typed === (await hidden(io, 'The same password again:'))) return typed;
  throw usageFailure('The passwords are not the same.');
}

export const hidden = (io: Io, message: string): Promise<string> =>
  ask(io, ({ password }, context) => password({ message, mask: '•' }, context));

/** The first line of standard input. A terminal does not show what is typed. */
export async function secretFromStdin(io: Io): Promise<string> {
  const given = io.stdin.isTTY ? await hidden(io, 'Secret:') : (await readStdin(io)).toString();
  const [line = ''] = given.split(/\r?\n/);
  if (line === '') throw usageFailure('Standard input is empty.', 'Pipe the secret into it.');
  return line;
}
