import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a tool of the command line, as its own process, on a database, with `input` to read. */
export function toolOn(
  connectionString: string,
  file: URL,
  input = '',
  more: Record<string, string> = {},
) {
  const env = { ...process.env, DATABASE_URL: connectionString, ...more };
  return (...args: string[]): Promise<Outcome> => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const child = execFile(
      process.execPath,
      [fileURLToPath(file), ...args],
      { env },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout: stdout.trim(), stderr });
      },
    );
    child.stdin?.end(input);
    return promise;
  };
}
