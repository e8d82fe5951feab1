import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from './directory.ts';
import { SocketInUseError, shortEnough } from './listening.ts';
import { startSimulator } from './simulator.ts';

// Runs Berth on a simulated Incus, to try its API without root and without Incus.

const service = fileURLToPath(new URL('../../service/src/main.ts', import.meta.url));
const tools = fileURLToPath(new URL('../../service/src/cli/main.ts', import.meta.url));
const { env } = process;
const dataDir = resolve(env.BERTH_DATA_DIR ?? 'data-simulated');
/** Similar to a real machine, so that progress can be watched. */
const timing = {
  create: 400,
  unpack: 1500,
  start: 200,
  stop: 200,
  delete: 200,
  network: 800,
  boot: 2500,
  shutdown: 800,
  download: 3000,
};

/** Ends this process with a message for its user; throws any other error. */
function refuse(error: unknown): never {
  if (!(error instanceof Error && (error instanceof SocketInUseError || 'syscall' in error))) {
    throw error;
  }
  const { message } = error as Error;
  const [failed, wayOut] =
    error instanceof SocketInUseError
      ? [
          `Another simulated Berth runs on ${dataDir}.`,
          'Stop that one, or set BERTH_DATA_DIR to another directory and BERTH_PORT to another port.',
        ]
      : [
          `The simulated Incus can't be set up in ${dataDir}: ${inWords(message)}.`,
          'Set BERTH_DATA_DIR to another directory.',
        ];
  process.stderr.write(`\n${failed}\n${wayOut}\n\n`);
  process.exit(1);
}

/** A message of Node.js, such as "EROFS: read-only file system, mkdir '/x'", without the call and its path. */
const inWords = (message: string) =>
  message.replace(/^([A-Z0-9_]+): ([^,]+), \w+\b.*$/s, '$2 ($1)');

/** The service would refuse its settings, too, but only after the simulated Incus was started with them. */
function checkSettings(): void {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const { status } = spawnSync(process.execPath, [tools, 'config', 'check'], { stdio: [...stdio] });
  if (status !== 0) process.exit(status ?? 1);
}

checkSettings();
await makeDirectory(dataDir).catch(refuse);
// Tools use this to know that there is no Incus with these servers.
await writeFile(join(dataDir, 'simulated'), '').catch(refuse);
const socketPath = shortEnough(join(dataDir, 'incus.socket'));
const simulator = await startSimulator({
  listen: { socketPath },
  timing,
  imageServers: ['images.linuxcontainers.org'],
  // A version without known vulnerabilities, since there is nothing to update.
  version: '7.3.0',
}).catch(refuse);
simulator.plant({
  project: env.BERTH_LOCAL_PROJECT ?? 'berth',
  pool: env.BERTH_LOCAL_POOL ?? 'berth',
  network: env.BERTH_LOCAL_NETWORK ?? 'berthbr0',
  imageAliases: ['berth-debian-12'],
});
process.stdout.write(`
SIMULATED: the servers of this Berth are not real. They run nothing, and nobody can log into them. When Berth
stops, the simulated Incus forgets them; ${dataDir} keeps their records, which show an error from
then on. Delete it to start again.

`);
const child = spawn(process.execPath, [service, '--simulated'], {
  // The channel closes when this process ends, even if it is killed.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...env, BERTH_DATA_DIR: dataDir, BERTH_INCUS_SOCKET: socketPath },
});
/** Ctrl-C in a terminal also reaches the service directly. */
function stop(signal: NodeJS.Signals): void {
  if (child.connected) child.disconnect();
  else child.kill(signal);
}
// The engine must outlive the service.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
child.on('exit', async (code) => {
  await simulator.close();
  // Exits at once, because Node.js no longer handles signals during its exit, and npm may pass on
  // Ctrl-C late.
  process.exit(code ?? 1);
});
