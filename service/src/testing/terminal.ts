import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../../setup/built.mjs';
import {
  commandLine,
  environment,
  killAll,
  processIds,
  readProcess,
  sendSignal,
} from './processes.ts';
import { until } from './until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A service that `npm start` runs in a terminal, on an embedded PostgreSQL and without an engine. */
export interface InTerminal {
  url: string;
  /** Its output so far. */
  output(): string;
  /** Presses Ctrl-C: the terminal sends SIGINT to each process in its foreground, including npm. */
  ctrlC(): void;
  /** Closes the terminal's window: SIGHUP. */
  hangUp(): void;
  /** Sends a signal to the process group of the service, which includes npm. */
  signalGroup(signal: NodeJS.Signals): void;
  /** Sends a signal to the service only, as systemd (`KillMode=mixed`) and the init of a container do. */
  signalService(signal: NodeJS.Signals): void;
  /** Sends a signal to the service only, repeatedly until it has ended. */
  signalToTheEnd(signal: NodeJS.Signals): Promise<void>;
  /** Resolves with the exit status of npm when the terminal has ended; NaN when it was closed. */
  ended: Promise<number>;
}

/** A directory for the data of services, which is cleaned up at the end of a test. */
export function dataDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'berth-terminal-'));
  /** The ids of all its processes, including PostgreSQL. */
  const processes = () =>
    processIds().filter(
      (pid) =>
        environment(pid).includes(`BERTH_DATA_DIR=${path}`) ||
        commandLine(pid).includes(`${path}/postgres`),
    );
  async function remove(): Promise<void> {
    await killAll(processes);
    rmSync(path, { recursive: true, force: true });
  }
  return { path, processes, remove };
}

/** Starts a service in a pseudo-terminal (script(1) of util-linux), and resolves once it listens. */
export async function startInTerminal(
  directory: string,
  processes: () => number[],
): Promise<InTerminal> {
  const { DATABASE_URL: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  ensureBuilt('service');
  // Without "prestart", which prepares the machine. `exec`, since a shell that waits would get Ctrl-C, too, and dash
  // then ends with 130, however npm ends.
  const command = 'exec npm start --ignore-scripts';
  const child = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', command, '/dev/null'],
    {
      cwd: root,
      env: { ...env, BERTH_DATA_DIR: directory, BERTH_PORT: '0', BERTH_LOCAL: 'false' },
    },
  );
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)));
  }
  const output = () => printed.join('');
  const ended = once(child, 'close').then(([status]) => Number(status ?? Number.NaN));
  const url = () => /listens on (http:\/\/\S+)/.exec(output())?.[1];
  await until('it listens', () => {
    if (child.exitCode !== null) throw new Error(`It did not start:\n${output()}`);
    return url();
  });
  const service = processes().find((pid) => commandLine(pid).endsWith('service/dist/main.js'));
  if (service === undefined) throw new Error('There is no service.');
  return {
    url: url() ?? '',
    output,
    ended,
    ctrlC: () => void child.stdin.write('\u0003'),
    hangUp: () => void child.kill('SIGKILL'),
    signalGroup: (signal) => void process.kill(-groupOf(service), signal),
    signalService: (signal) => void process.kill(service, signal),
    async signalToTheEnd(signal) {
      for (; commandLine(service) !== ''; await nextTurn()) sendSignal(service, signal);
    },
  };
}

/** The fifth field of /proc/PID/stat (proc_pid_stat(5)); the second may hold spaces. */
function groupOf(pid: number): number {
  const fields = readProcess(pid, 'stat').replace(/^.*\) /, '');
  return Number(fields.split(' ')[2]);
}
