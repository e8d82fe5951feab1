import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { canAsk } from '../io.ts';
import { howToGivePassword, newPassword, type PasswordOptions } from '../prompts/password.ts';
import { collected } from '../verbs/options.ts';
import { readUserData } from './user-data.ts';

// How root logs in to a new system, and what it runs first. A create and a rebuild have the same options.

export interface AccessOptions extends PasswordOptions {
  sshKey?: string[] | undefined;
  passwordLogin: boolean;
  command?: string[] | undefined;
  userData?: string | undefined;
}

export const accessOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('--ssh-key <ssh-key>', 'an SSH key for root; may be given several times', collected)
    .option('--no-password-login', 'log in with SSH keys only')
    .option('--password-stdin', 'read the password of root from standard input')
    .option('--generate-password', 'generate a password of root, and print it')
    .option('--user-data <file>', 'user data for cloud-init: a file, or - for standard input')
    .option(
      '--command <command>',
      'a command that the new system runs first, as root; may be given several times',
      collected,
    );

export interface Access {
  /** Fields of the body. */
  body: {
    ssh_keys?: string[];
    password_login?: boolean;
    password?: string;
    user_data?: string;
    initialCommands: string[];
  };
  /** The password that nobody knows yet. */
  generated: string | undefined;
}

/** What a command in which nobody can be asked lacks of the password of root. */
export function missingPassword(cli: Cli, options: AccessOptions): string | undefined {
  const { sshKey = [], passwordLogin, passwordStdin, generatePassword } = options;
  if (canAsk(cli.io) || !passwordLogin || passwordStdin || generatePassword) return undefined;
  return sshKey.length > 0
    ? 'Add --no-password-login to log in with SSH keys only, or else --password-stdin or --generate-password.'
    : howToGivePassword;
}

export async function readAccess(cli: Cli, options: AccessOptions, whose: string): Promise<Access> {
  const { sshKey = [], command: initialCommands = [], passwordLogin } = options;
  if (options.passwordStdin && options.userData === '-') {
    throw usageFailure('Standard input is either the password or the user data.');
  }
  const common = {
    ...(sshKey.length > 0 && { ssh_keys: sshKey }),
    ...(options.userData !== undefined && { user_data: await readUserData(cli, options.userData) }),
    initialCommands,
  };
  const isAsked = options.passwordStdin || options.generatePassword;
  if (!passwordLogin && !isAsked) {
    return { body: { ...common, password_login: false }, generated: undefined };
  }
  const missing = missingPassword(cli, options);
  if (missing) throw usageFailure(`A password ${whose} is missing.`, missing);
  const { password, isGenerated } = await newPassword(cli, options, whose);
  return {
    body: {
      ...common,
      ...(passwordLogin ? {} : { password_login: false }),
      password,
    },
    generated: isGenerated ? password : undefined,
  };
}
