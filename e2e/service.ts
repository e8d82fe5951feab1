import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  commandLine,
  environment,
  killAll,
  processIds,
  sendSignal,
} from '../service/src/testing/processes.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { until } from '../service/src/testing/until.ts';
import { ensureBuilt } from '../setup/built.mjs';
import { onFreePort } from './ports.ts';

const main = fileURLToPath(new URL('../service/dist/main.js', import.meta.url));
/** As in `npm start`. */
const nodeOptions = ['--max-semi-space-size=4', '--heap-growing-percent=50', '--v8-pool-size=0'];
/** It includes building the first image, which takes long on a busy machine. */
const startSeconds = 900;
const stopSeconds = 120;
/** A request to a hanging service is repeated. */
const healthMs = 30_000;
/** Shorter than the default, so that a guest that ignores its shutdown costs less time. */
const guestStopSeconds = 10;

export interface ServiceOptions {
  directory: string;
  /** The socket of this machine's Incus; by default none is used. */
  socketPath?: string;
  names: { project: string; pool: string; network: string };
  /** Defaults to a free port. */
  port?: number;
  /** An external PostgreSQL. By default the service has its own. */
  databaseUrl?: string;
  /** Another service on the same database, which has created its key and its first token. */
  beside?: Pick<Service, 'directory' | 'token'> | undefined;
  /** Settings of this service that differ from those of all others. */
  env?: Record<string, string>;
}

export interface Service extends ServiceOptions {
  port: number;
  url: string;
  token: string;
  pid: number;
}

export const dataDirectory = (directory: string) => join(directory, 'data');
const keyFile = (directory: string) => join(dataDirectory(directory), 'secret-key');
export const serviceLog = (directory: string) => join(directory, 'service.log');
const recordFile = (directory: string) => join(directory, 'service.json');

/**
 * The service as `npm start` runs it, in a new session, with its output in a file. What a test
 * needs to stop it and to start it again is kept in the directory.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, beside, port } = options;
  ensureBuilt('service');
  mkdirSync(dataDirectory(directory), { recursive: true });
  if (beside) copyFileSync(keyFile(beside.directory), keyFile(directory));
  const place = port === undefined ? await onFreePort(startOn) : await startWhenFree(port);
  const token = beside?.token ?? readToken(directory);
  const service = { ...options, ...place, token };
  writeFileSync(recordFile(directory), JSON.stringify(service));
  return service;

  async function startOn(chosen: number) {
    const child = launch(options, chosen);
    return { ...(await ready(child, directory)), port: chosen };
  }

  /** A restarted service uses the same port, because its clients and HAProxy expect it there. */
  async function startWhenFree(given: number) {
    return await until(`the port ${given} is free`, () => startOn(given).catch(isPortTaken));
  }
}

/** For an error that the port is in use. Throws any other error. */
function isPortTaken(error: unknown): undefined {
  if (!/The port \d+ of \S+ is in use\./.test(String(error))) throw error;
}

/** The first token; empty if another service of the same database has it. */
function readToken(directory: string): string {
  const path = join(dataDirectory(directory), 'admin-token');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

/** The service that runs on a directory. */
export function currentService(directory: string): Service {
  return JSON.parse(readFileSync(recordFile(directory), 'utf8'));
}

interface Launched {
  child: ChildProcess;
  /** Its output so far. */
  output: () => string;
}

function launch(options: ServiceOptions, port: number): Launched {
  const { directory, databaseUrl, env } = options;
  const file = serviceLog(directory);
  const before = existsSync(file) ? readFileSync(file).length : 0;
  const log = openSync(file, 'a');
  const child = spawn(process.execPath, [...nodeOptions, main], {
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      BERTH_PORT: String(port),
      BERTH_DATA_DIR: dataDirectory(directory),
      ...local(options),
      BERTH_STOP_TIMEOUT: String(guestStopSeconds),
      // The limits are high, so that tests and benchmarks do not wait. Tests of the limits set
      // their own.
      BERTH_LIMIT_READS: '1000000/1000000',
      BERTH_LIMIT_ACTIONS: '1000000/1000000',
      BERTH_LIMIT_CHANGES: '1000000/1000000',
      BERTH_LIMIT_PROJECTS: '1000000/1000000',
      BERTH_LIMIT_BAD_TOKENS: '1000000/1000000',
      BERTH_LIMIT_PUBLIC: '1000000/1000000',
      BERTH_LOG_LEVEL: 'debug',
      ...env,
    },
  });
  closeSync(log);
  child.unref();
  return { child, output: () => readFileSync(file).subarray(before).toString() };
}

function local({ socketPath, names }: ServiceOptions): Record<string, string> {
  if (!socketPath) return { BERTH_LOCAL: 'false' };
  return {
    BERTH_INCUS_SOCKET: socketPath,
    BERTH_LOCAL_PROJECT: names.project,
    BERTH_LOCAL_POOL: names.pool,
    BERTH_LOCAL_NETWORK: names.network,
  };
}

const isRunning = (pid: number) => commandLine(pid).includes(main);

/** Waits until it prints its address, and is healthy. */
async function ready({ child, output }: Launched, directory: string) {
  const { pid } = child;
  if (pid === undefined) throw new Error('The service could not be started.');
  const url = () => /^Berth listens on (\S+)/m.exec(output())?.[1];
  const isWell = async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw didNotGetReady(output());
    const signal = AbortSignal.timeout(healthMs);
    const [answer] = await Promise.allSettled([url() && fetch(`${url()}/v1/health`, { signal })]);
    return answer.status === 'fulfilled' && answer.value instanceof Response && answer.value.ok;
  };
  await until(`the service in ${directory} is ready`, isWell, Boolean, startSeconds);
  return { url: url() ?? '', pid };
}

function didNotGetReady(output: string): Error {
  const end = output.split('\n').slice(-40).join('\n');
  return new Error(`The service did not get ready. Its output ends with:\n${end}`);
}

export function isServiceRunning({ directory }: Service): boolean {
  return isRunning(currentService(directory).pid);
}

/** Sends a signal to the service, if it runs, and waits for its end. */
export async function stopService(directory: string, signal: NodeJS.Signals): Promise<void> {
  const { pid } = currentService(directory);
  sendSignal(pid, signal);
  await until(
    `the service in ${directory} has ended upon ${signal}`,
    () => commandLine(pid),
    (line) => !line.includes(main),
    stopSeconds,
  );
}

/** Runs the service on a directory with these settings while `use` runs. */
export async function withSettings(
  directory: string,
  env: Record<string, string>,
  use: () => Promise<void>,
): Promise<void> {
  const service = currentService(directory);
  const restart = async (own: ServiceOptions) => {
    await stopService(directory, 'SIGTERM');
    await startService(own);
  };
  try {
    await restart({ ...service, env: { ...service.env, ...env } });
    await use();
  } finally {
    await restart(service);
  }
}

/** A directory for a service on a simulated engine; both go with the stack. */
export function serviceDirectory(stack: AsyncDisposableStack, name: string): string {
  const directory = temporaryDirectory(name);
  stack.defer(async () => {
    await removeService(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Ends the remaining processes of a run: the service, and the PostgreSQL in its data directory. */
export async function removeService(directory: string): Promise<void> {
  const data = dataDirectory(directory);
  await killAll(() =>
    processIds().filter(
      (pid) =>
        environment(pid).includes(`BERTH_DATA_DIR=${data}`) ||
        commandLine(pid).includes(`${data}/postgres`),
    ),
  );
}
