import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine, environment, killAll, processIds } from './processes.ts';

const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url));
/** It builds its first image meanwhile, which a machine that is busy takes long for. */
const startMs = 900_000;
const shownMs = 1000;
const stopMs = 30_000;
/** Shorter than the default, so that a guest that ignores its shutdown costs less time. */
const guestStopSeconds = 10;

export interface ServiceOptions {
  directory: string;
  /** Of the Incus of this machine; without it none is used. */
  socketPath?: string;
  names: { project: string; pool: string; network: string };
  port: number;
  /** An outside PostgreSQL; without it the service has its own. */
  databaseUrl?: string;
  /** Another service on the same database, which has made its key and its first token. */
  beside?: Pick<Service, 'directory' | 'token'> | undefined;
  /** Settings of this service that differ from those of all others. */
  env?: Record<string, string>;
}

export interface Service extends ServiceOptions {
  url: string;
  token: string;
  pid: number;
}

export const dataDirectory = (directory: string) => join(directory, 'data');
const keyFile = (directory: string) => join(dataDirectory(directory), 'secret-key');
export const serviceLog = (directory: string) => join(directory, 'service.log');
const recordFile = (directory: string) => join(directory, 'service.json');

/**
 * The service as `npm start` runs it, in a session of its own, with its output in a file. What a
 * test needs to stop it and to start it again is kept in the directory.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, port, beside } = options;
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(dataDirectory(directory), { recursive: true });
  if (beside) copyFileSync(keyFile(beside.directory), keyFile(directory));
  const pid = launch(options);
  await untilReady(url, pid, directory);
  const token = beside?.token ?? readToken(directory);
  const service = { ...options, url, token, pid };
  writeFileSync(recordFile(directory), JSON.stringify(service));
  return service;
}

/** Empty where another service of the same database keeps it. */
function readToken(directory: string): string {
  const path = join(dataDirectory(directory), 'admin-token');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

/** The service that runs on a directory. */
export function currentService(directory: string): Service {
  return JSON.parse(readFileSync(recordFile(directory), 'utf8'));
}

function launch(options: ServiceOptions): number {
  const { directory, port, databaseUrl, env } = options;
  const log = openSync(serviceLog(directory), 'a');
  const child = spawn(process.execPath, [main], {
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      BERTH_PORT: String(port),
      BERTH_DATA_DIR: dataDirectory(directory),
      ...local(options),
      BERTH_STOP_TIMEOUT: String(guestStopSeconds),
      // Tests and benchmarks are not made to wait; those of the limits set their own.
      BERTH_LIMIT_READS: '1000000/1000000',
      BERTH_LIMIT_ACTIONS: '1000000/1000000',
      BERTH_LIMIT_BAD_TOKENS: '1000000/1000000',
      BERTH_LIMIT_PUBLIC: '1000000/1000000',
      BERTH_LOG_LEVEL: 'debug',
      ...env,
    },
  });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new Error('The service could not be started.');
  return child.pid;
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

async function untilReady(url: string, pid: number, directory: string): Promise<void> {
  const end = Date.now() + startMs;
  // A process that has just been started shows its command line a moment later.
  const shownBy = Date.now() + shownMs;
  while (Date.now() < shownBy && !isRunning(pid)) await sleep(10);
  while (Date.now() < end && isRunning(pid)) {
    const [answer] = await Promise.allSettled([fetch(`${url}/v1/health`)]);
    if (answer.status === 'fulfilled' && answer.value.status === 200) return;
    await sleep(50);
  }
  const log = readFileSync(serviceLog(directory), 'utf8').split('\n').slice(-40).join('\n');
  throw new Error(`The service did not get ready. Its output ends with:\n${log}`);
}

export function isServiceRunning({ directory }: Service): boolean {
  return isRunning(currentService(directory).pid);
}

/** Sends a signal to the service and waits for its end. */
export async function stopService(directory: string, signal: NodeJS.Signals): Promise<void> {
  const { pid } = currentService(directory);
  process.kill(pid, signal);
  const end = Date.now() + stopMs;
  while (isRunning(pid)) {
    if (Date.now() > end) throw new Error(`The service does not end upon ${signal}.`);
    await sleep(50);
  }
}

/** Ends what a run left: the service, and the PostgreSQL in its data directory. */
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
