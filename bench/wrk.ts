import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Load {
  perSecond: number;
  /** The median. */
  p50Milliseconds: number;
}

interface LoadOptions {
  token?: string;
  clients: number;
  seconds: number;
  /** A Lua file that chooses the paths of the requests. */
  script?: string | undefined;
}

/**
 * Requests a URL with `clients` connections as fast as possible, by wrk. Throws if a response is
 * not a success.
 */
export async function load(
  url: string,
  { token, clients, seconds, script }: LoadOptions,
): Promise<Load> {
  const header = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`];
  const paths = script === undefined ? [] : ['-s', script];
  const args = ['-t1', `-c${clients}`, `-d${seconds}s`, '--latency', ...header, ...paths, url];
  const { stdout } = await run('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}:\n${stdout}`);
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? [];
  const [, time, unit = ''] = /^\s+50%\s+([\d.]+)(us|ms|s)$/m.exec(stdout) ?? [];
  const milliseconds = { us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN;
  return { perSecond: Number(perSecond), p50Milliseconds: Number(time) * milliseconds };
}
