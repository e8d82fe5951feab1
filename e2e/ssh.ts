import { execFileSync, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { eventually } from '../service/src/testing/until.ts';
import { password } from './api.ts';

const timeoutMs = 120_000;
const loginSeconds = 180;

const options = {
  StrictHostKeyChecking: 'no',
  UserKnownHostsFile: '/dev/null',
  LogLevel: 'ERROR',
  ConnectTimeout: '10',
  // A guest that is gone does not close its connections.
  ServerAliveInterval: '15',
  PreferredAuthentications: 'password',
};

/** Runs a command on a server over SSH, as root with the password. */
export async function ssh(address: string, command: string, secret = password): Promise<string> {
  return (await sshSend(address, command, '', secret)).trim();
}

/** Runs a command that stops the guest: the connection may break before the command returns. */
export async function sshLast(address: string, command: string): Promise<void> {
  await Promise.allSettled([ssh(address, command)]);
}

/** Runs a command as `ssh` does, with something to read on its standard input. */
export async function sshSend(
  address: string,
  command: string,
  input: string | Buffer,
  secret = password,
): Promise<string> {
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const child = spawn('sshpass', ['-e', 'ssh', ...settings, `root@${address}`, command], {
    env: { ...process.env, SSHPASS: secret },
    timeout: timeoutMs,
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  // The exit status shows whether the program ended without reading it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  throw new Error(`ssh ${address} ${JSON.stringify(command)} ended with ${code}: ${errors}`);
}

/** Runs a command on a server over SSH, as root with the private key in a file. */
export function sshWithKey(address: string, path: string, command: string): string {
  const own = { ...options, PreferredAuthentications: 'publickey', IdentitiesOnly: 'yes' };
  const settings = Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const args = ['-F', 'none', ...settings, '-i', path, `root@${address}`, command];
  return execFileSync('ssh', args, { encoding: 'utf8', timeout: timeoutMs }).trim();
}

/** Waits until a server that was just started accepts logins. */
export async function untilSsh(address: string): Promise<void> {
  await eventually(() => ssh(address, 'true'), loginSeconds);
}
