import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { machineUser } from '../config/config.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The program of all command-line tools. */
export const toolEntry = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

/**
 * Runs a command-line tool, such as `token`, in a separate process, on a database, with `input` as its standard input.
 */
export const toolOn = (
  connectionString: string,
  tool: string,
  input = '',
  more: Record<string, string> = {},
) => program([toolEntry, tool], input, { DATABASE_URL: connectionString, ...more });

/** The user who runs tools in tests, as in the audit log. */
export const byTestUser = { machine_user: machineUser() };

/** Runs a file with arguments as a process, with these variables in addition to ours. */
export function program(command: string[], input: string, more: Record<string, string>) {
  const env = { ...process.env, ...more };
  return (...args: string[]) => outcomeOf(process.execPath, [...command, ...args], input, env);
}

/**
 * Like `toolOn`, but in a pseudo-terminal (script(1) of util-linux), at which `typed` is typed, and then Ctrl-D. All
 * that it prints is in `stdout`.
 */
export function toolInTerminal(
  connectionString: string,
  tool: string,
  typed: string,
  more: Record<string, string> = {},
) {
  const env = { ...process.env, SHELL: '/bin/sh', DATABASE_URL: connectionString, ...more };
  return async (...args: string[]): Promise<Outcome> => {
    const words = [process.execPath, toolEntry, tool, ...args].map((word) => `'${word}'`);
    const options = ['--quiet', '--return', '--command', words.join(' '), '/dev/null'];
    const { stdout, ...ended } = await outcomeOf('script', options, typed, env);
    return { ...ended, stdout: stdout.replaceAll('\r\n', '\n') };
  };
}

function outcomeOf(file: string, args: string[], input: string, env: NodeJS.ProcessEnv) {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const child = execFile(file, args, { env }, (error, stdout, stderr) => {
    resolve({ code: error ? Number(error.code) : 0, stdout: stdout.trim(), stderr });
  });
  child.stdin?.end(input);
  return promise;
}
