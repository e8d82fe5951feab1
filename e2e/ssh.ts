import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { password } from './api.ts';

const run = promisify(execFile);

/** Runs a command on a server, as a person would: over SSH, as root, with the password. */
export async function ssh(address: string, command: string): Promise<string> {
  const { stdout } = await run(
    'sshpass',
    [
      '-e',
      'ssh',
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
      '-o',
      'LogLevel=ERROR',
      '-o',
      'ConnectTimeout=10',
      '-o',
      'PreferredAuthentications=password',
      `root@${address}`,
      command,
    ],
    { env: { ...process.env, SSHPASS: password }, timeout: 60_000, maxBuffer: 16 * 1024 * 1024 },
  );
  return stdout.trim();
}
