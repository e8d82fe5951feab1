import { readFileSync } from 'node:fs';
import { directory, file, type GuestFile } from './files.ts';
import { type FirstStart, firstStartFiles } from './first-start.ts';
import { type RootLogin, sshdFiles, sshdSettings } from './login.ts';

/** A command line for `/bin/sh -c`, or an argument vector. */
export type InitialCommand = string | string[];

const scripts = '/var/lib/cloud/scripts/per-boot';
const runner = readFileSync(new URL('./runner.sh', import.meta.url), 'utf8');

export const stateFolder = '/var/lib/berth';

/** The script with the secrets, and the files that the guest writes itself. */
interface Handover {
  login: RootLogin;
  commands: InitialCommand[];
  /** These can be read by all users. */
  files?: { path: string; content: string }[];
}

/**
 * The files to push into a new, stopped guest, in this order: the secrets, which only root can read; the settings of its
 * SSH server, if it must not accept passwords; the files of `firstStart`, if the guest starts without cloud-init; and the
 * script that carries out the secrets and removes them and itself. cloud-init runs it at the end of a boot, or, with
 * `firstStart`, a unit of the image does. The guest must never have been started, since it would run everything again.
 */
export function handoverFiles(handover: Handover, firstStart?: FirstStart): GuestFile[] {
  if (!firstStart) {
    return [
      ...secrets(handover),
      ...sshdFiles(handover.login),
      directory('/var/lib/cloud', 0o755),
      directory('/var/lib/cloud/scripts', 0o755),
      directory(scripts, 0o755),
      file(`${scripts}/00-berth`, 0o700, runner),
    ];
  }
  const { before, during } = firstStartFiles(firstStart);
  return [
    ...secrets({ ...handover, files: during }),
    ...sshdFiles(handover.login),
    ...before,
    file(`${stateFolder}/runner`, 0o700, runner),
  ];
}

/** A single file, because each file that is pushed into a guest takes tens of milliseconds. */
function secrets(handover: Handover): GuestFile[] {
  return [directory(stateFolder, 0o700), file(`${stateFolder}/handover`, 0o600, script(handover))];
}

function script({ login, commands, files = [] }: Handover): string {
  const { passwordHash, authorizedKeys } = login;
  const lines = [
    `password_hash=${quoted(passwordHash)}`,
    `authorized_keys=${quoted(authorizedKeys.map((key) => `${key}\n`).join(''))}`,
    `sshd_settings=${quoted(sshdSettings(login))}`,
    ...files.map(({ path, content }) => `add_file ${quoted(path)} ${quoted(content)}`),
    ...commands.map((command) => `add_command ${quoted(argumentsLine(command))}`),
  ];
  return `${lines.join('\n')}\n`;
}

function argumentsLine(command: InitialCommand): string {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', '--', command] : command;
  return `set -- ${argv.map(quoted).join(' ')}`;
}

/** Quotes any bytes except NUL, which no argument can contain. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('A command or password hash holds a NUL character.');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
