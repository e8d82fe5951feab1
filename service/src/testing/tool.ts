import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { machineUser } from '../config/config.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The one entry of all tools of the command line. */
export const toolEntry = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

/** Runs a tool of the command line, such as `token`, as its own process, on a database, with `input` to read. */
export const toolOn = (
  connectionString: string,
  tool: string,
  input = '',
  more: Record<string, string> = {},
) => program([toolEntry, tool], input, { DATABASE_URL: connectionString, ...more });

/** How the audit log names who ran a tool in a test. */
export const byTestUser = { machine_user: machineUser() };

/** Runs a file with arguments as a process, with these variables in addition to ours. */
export function program(command: string[], input: string, more: Record<string, string>) {
  const env = { ...process.env, ...more };
  return (...args: string[]): Promise<Outcome> => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const child = execFile(
      process.execPath,
      [...command, ...args],
      { env },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout: stdout.trim(), stderr });
      },
    );
    child.stdin?.end(input);
    return promise;
  };
}
