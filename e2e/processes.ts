import { execFileSync } from 'node:child_process';

const commandMs = 120_000;

/** Runs a command to its end. Returns its output; throws if it fails. */
export function run(command: string, args: string[], input = ''): string {
  return execFileSync(command, args, {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: commandMs,
  });
}
