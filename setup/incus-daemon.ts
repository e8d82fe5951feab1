import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { output, runAsRoot, SetupError } from './commands.mjs';

const systemDirectory = '/var/lib/incus';
/** The socket of the system's Incus. */
export const systemSocket = join(systemDirectory, 'unix.socket');
const daemonPaths = ['/usr/libexec/incus/incusd', '/usr/lib/incus/incusd', '/opt/incus/bin/incusd'];
export const lxcfsMount = '/var/lib/lxcfs';
const startSeconds = 60;
const answerMs = 5000;
const shownLogLines = 15;

export interface IncusPlace {
  /** An existing socket to use. No daemon is started then. */
  socketPath?: string | undefined;
  /** The data directory of the daemon. Defaults to that of the system. */
  incusDir?: string;
  say: (text: string) => void;
}

export interface RunningIncus {
  socketPath: string;
  incusDir: string;
  /** Set if the daemon was started here. It keeps running when the service stops. */
  pid?: number;
}

/**
 * Returns an Incus that answers: at the given socket, otherwise the one of the system, otherwise
 * the packaged daemon, which is started without systemd.
 */
export async function ensureIncus({
  socketPath,
  incusDir,
  say,
}: IncusPlace): Promise<RunningIncus> {
  if (socketPath) {
    await requireIncus(socketPath, say);
    return { socketPath, incusDir: join(socketPath, '..') };
  }
  const directory = incusDir ?? systemDirectory;
  const socket = join(directory, 'unix.socket');
  if (await runs(socket, say)) return { socketPath: socket, incusDir: directory };
  if (!incusDir && hasSystemdUnit()) return await startUnit(socket, directory, say);
  return {
    socketPath: socket,
    incusDir: directory,
    pid: await startDaemon(directory, socket, say),
  };
}

async function requireIncus(socketPath: string, say: IncusPlace['say']): Promise<void> {
  if (await runs(socketPath, say)) return;
  throw new SetupError(
    `No Incus answers on ${socketPath}.`,
    'Start Incus, or unset BERTH_INCUS_SOCKET to let Berth find it.',
  );
}

/**
 * Whether Incus runs. After the boot of a machine, it accepts connections long before it answers: systemd starts it at the
 * first connection, and it starts its instances first.
 */
async function runs(socketPath: string, say: IncusPlace['say']): Promise<boolean> {
  const first = await answerOf(socketPath);
  if (first === 'slow') {
    say('Waiting for Incus');
    await untilAnswers(socketPath, () => undefined);
  }
  return first !== 'none';
}

type Answer = 'ok' | 'slow' | 'none';

/** Throws if this user has no permission. */
async function answerOf(socketPath: string): Promise<Answer> {
  if (!existsSync(socketPath)) return 'none';
  return await new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: '/1.0', timeout: answerMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'ok' : 'none');
    });
    asked.on('timeout', () => {
      resolve('slow');
      asked.destroy();
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') reject(notAllowed(socketPath));
      else resolve('none');
    });
    asked.end();
  });
}

function notAllowed(socketPath: string): Error {
  return new SetupError(
    `This user has no permission to use ${socketPath}.`,
    'Run "sudo usermod -aG incus-admin $USER", log in again, and start Berth again.',
  );
}

function hasSystemdUnit(): boolean {
  return (
    existsSync('/run/systemd/system') && output('systemctl', ['cat', 'incus.service']) !== undefined
  );
}

async function startUnit(socketPath: string, incusDir: string, say: IncusPlace['say']) {
  say('Starting the Incus service');
  const wayOut = 'See "journalctl -u incus", then start Berth again.';
  runAsRoot('systemctl', ['start', 'incus.socket', 'incus.service'], wayOut);
  await untilAnswers(socketPath, () => undefined);
  return { socketPath, incusDir };
}

/** The log of a daemon that was started here, of all its starts. */
export const daemonLog = (incusDir: string) => join(incusDir, 'logs', 'berth-incusd.log');

/** The PID file of a daemon that was started here. */
export const daemonPid = (incusDir: string) => join(incusDir, 'berth-incusd.pid');
/** The PID file of its lxcfs. */
export const lxcfsPid = (incusDir: string) => join(incusDir, 'berth-lxcfs.pid');

async function startDaemon(incusDir: string, socketPath: string, say: IncusPlace['say']) {
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      'Incus is not running, and only root can start it.',
      'Start Incus, or start Berth as root.',
    );
  }
  const file = daemonPaths.find((path) => existsSync(path));
  if (!file)
    throw new SetupError(
      'The Incus daemon (incusd) is not installed.',
      'Install the package incus-base.',
    );
  await mkdir(join(incusDir, 'logs'), { recursive: true, mode: 0o711 });
  await startLxcfs(incusDir);
  say('Starting the Incus daemon');
  const logFile = daemonLog(incusDir);
  const daemon = detach(file, ['--group', 'incus-admin'], logFile, { INCUS_DIR: incusDir });
  let ended: string | undefined;
  daemon.on('exit', (code, signal) => {
    ended = `The Incus daemon exited (${code ?? signal}).`;
  });
  await writeFile(daemonPid(incusDir), String(daemon.pid));
  await untilAnswers(socketPath, () => {
    if (ended) throw new SetupError(ended, `The full log is ${logFile}.`, tail(logFile));
  });
  daemon.removeAllListeners();
  daemon.unref();
  return daemon.pid as number;
}

/** Starts lxcfs, which shows guests their own cores and memory instead of those of the machine. */
async function startLxcfs(incusDir: string): Promise<void> {
  if (lxcfsAnswers()) return;
  // If lxcfs was killed, every read on its mount fails, also in guests.
  if (lxcfsIsMounted())
    runAsRoot('umount', ['--lazy', lxcfsMount], `Unmount ${lxcfsMount} by hand.`);
  await mkdir(lxcfsMount, { recursive: true });
  const logFile = join(incusDir, 'logs', 'berth-lxcfs.log');
  const lxcfs = detach('lxcfs', ['-p', join(incusDir, 'lxcfs.lock'), lxcfsMount], logFile);
  lxcfs.unref();
  await writeFile(lxcfsPid(incusDir), String(lxcfs.pid));
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (lxcfsAnswers()) return;
    await sleep(100);
  }
  throw new SetupError(`lxcfs did not mount ${lxcfsMount}.`, `See ${logFile}.`, tail(logFile));
}

const lxcfsIsMounted = () => readFileSync('/proc/mounts', 'utf8').includes(` ${lxcfsMount} `);

function lxcfsAnswers(): boolean {
  try {
    return readFileSync(join(lxcfsMount, 'proc', 'uptime'), 'utf8') !== '';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTCONN') return false;
    throw error;
  }
}

/** Runs a program in a new session, so that neither Ctrl-C nor the end of the service stops it. */
function detach(file: string, args: string[], logFile: string, env: Record<string, string> = {}) {
  const log = openSync(logFile, 'a');
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  return child;
}

async function untilAnswers(socketPath: string, requireLife: () => void): Promise<void> {
  const end = Date.now() + startSeconds * 1000;
  while ((await answerOf(socketPath)) !== 'ok') {
    requireLife();
    if (Date.now() > end) {
      throw new SetupError(
        `Incus did not answer on ${socketPath} within ${startSeconds} s.`,
        'See its log, then start Berth again.',
      );
    }
    await sleep(100);
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-shownLogLines).join('\n');
}
