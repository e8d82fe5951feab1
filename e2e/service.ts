import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine, environment, killAll, processIds } from './processes.ts';

const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url));
const startMs = 180_000;
const stopMs = 30_000;
/** Shorter than the default, so that a guest that ignores its shutdown costs less time. */
const guestStopSeconds = 10;

export interface ServiceOptions {
  directory: string;
  socketPath: string;
  names: { project: string; pool: string; network: string };
  port: number;
  say: (text: string) => void;
}

export interface Service {
  url: string;
  token: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

export const dataDirectory = (directory: string) => join(directory, 'data');
export const serviceLog = (directory: string) => join(directory, 'service.log');

/** The service as `npm start` runs it, as a process of its own, with its output in a file. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, names, port, say } = options;
  const url = `http://127.0.0.1:${port}`;
  say('Starting the service');
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      BERTH_PORT: String(port),
      BERTH_DATA_DIR: dataDirectory(directory),
      BERTH_INCUS_SOCKET: options.socketPath,
      BERTH_LOCAL_PROJECT: names.project,
      BERTH_LOCAL_POOL: names.pool,
      BERTH_LOCAL_NETWORK: names.network,
      BERTH_STOP_TIMEOUT: String(guestStopSeconds),
      BERTH_LOG_LEVEL: 'debug',
    },
  });
  const log = createWriteStream(serviceLog(directory), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  await untilReady(url, child, directory);
  const token = readFileSync(join(dataDirectory(directory), 'admin-token'), 'utf8').trim();
  return { url, token, process: child, stop: () => stop(child) };
}

async function untilReady(url: string, child: ChildProcess, directory: string): Promise<void> {
  const end = Date.now() + startMs;
  while (Date.now() < end) {
    if (child.exitCode !== null) break;
    const [answer] = await Promise.allSettled([fetch(`${url}/v1/health`)]);
    if (answer.status === 'fulfilled' && answer.value.status === 200) return;
    await sleep(100);
  }
  const log = readFileSync(serviceLog(directory), 'utf8').split('\n').slice(-40).join('\n');
  throw new Error(`The service did not get ready. Its output ends with:\n${log}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`The service had ended, with ${child.exitCode}.`);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const late = sleep(stopMs, undefined, { ref: false }).then(() => {
    throw new Error('The service did not stop.');
  });
  await Promise.race([ended, late]);
}

/** Ends what an earlier run left: the service, and the PostgreSQL in its data directory. */
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
