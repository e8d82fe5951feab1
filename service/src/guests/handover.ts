import { readFileSync } from 'node:fs';

/** A file or folder to put into a guest, owned by root, before its first start. */
export type GuestFile = { path: string; uid: 0; gid: 0; mode: number } & (
  | { type: 'directory' }
  | { type: 'file'; content: string }
);

/** Run by `/bin/sh -c`, or an argument vector, run as it is. */
export type InitialCommand = string | string[];

const scripts = '/var/lib/cloud/scripts/per-boot';
const runner = readFileSync(new URL('./runner.sh', import.meta.url), 'utf8');

export const stateFolder = '/var/lib/berth';

/**
 * The files to push into a new, stopped guest, in this order: the secrets, which only root can
 * read, and the script that runs at the first boot and removes both. The guest must never have been
 * started, since it would run everything again.
 */
export function handoverFiles(handover: {
  passwordHash: string;
  commands: InitialCommand[];
}): GuestFile[] {
  return [
    directory(stateFolder, 0o700),
    file(`${stateFolder}/handover`, 0o600, script(handover)),
    directory('/var/lib/cloud', 0o755),
    directory('/var/lib/cloud/scripts', 0o755),
    directory(scripts, 0o755),
    file(`${scripts}/00-berth`, 0o700, runner),
  ];
}

function directory(path: string, mode: number): GuestFile {
  return { path, uid: 0, gid: 0, mode, type: 'directory' };
}

function file(path: string, mode: number, content: string): GuestFile {
  return { path, uid: 0, gid: 0, mode, type: 'file', content };
}

/** A single file, because each file that is pushed into a guest takes tens of milliseconds. */
function script({
  passwordHash,
  commands,
}: {
  passwordHash: string;
  commands: InitialCommand[];
}): string {
  const lines = commands.map((command) => `add_command ${quoted(argumentsLine(command))}\n`);
  return `password_hash=${quoted(passwordHash)}\n${lines.join('')}`;
}

function argumentsLine(command: InitialCommand): string {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', '--', command] : command;
  return `set -- ${argv.map(quoted).join(' ')}`;
}

/** Any bytes but NUL, which no argument can hold, come out of these quotes as they went in. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('A command or password hash holds a NUL character.');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
