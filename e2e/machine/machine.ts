import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig } from '../../service/src/config/config.ts';
import { readProcess } from '../../service/src/testing/processes.ts';
import { startReaper } from '../../service/src/testing/reaper.ts';
import { until } from '../../service/src/testing/until.ts';
import { removeCgroup } from '../private-incus.ts';

const boot = fileURLToPath(new URL('boot.sh', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** The installation takes longest: it starts Incus, PostgreSQL and Berth for the first time. */
const commandMs = 300_000;

/** A machine with systemd and a new Incus, which shares kernel, programs and this repository with the real machine. */
export interface Machine {
  /** Runs a command in it as root, and returns its output. Throws if it fails. */
  run(command: string, ...args: string[]): Promise<string>;
  /** Boots it. Resolves when systemd has started what belongs to the boot. */
  start(): Promise<void>;
  /** Ends it as if its power was cut. */
  cutPower(): Promise<void>;
}

/** Creates a machine that is off. It has Berth in /opt/berth/1 and, as another version, in /opt/berth/2. */
export async function createMachine(directory: string): Promise<Machine> {
  await mkdir(directory);
  startReaper(new URL('machine-reaper.ts', import.meta.url), directory);
  const images = join(loadConfig({}).cacheDir, 'images');
  let power: ChildProcess | undefined;
  let first: number | undefined;

  const run = (command: string, ...args: string[]) => {
    if (first === undefined) throw new Error('The machine is off.');
    const variables = ['HOME=/root', 'TERM=dumb', `PATH=${process.env.PATH}`];
    const inside = ['-t', `${first}`, '--all', '--wd=/', 'env', '-i', ...variables];
    return outputOf('nsenter', [...inside, command, ...args]);
  };

  return {
    run,
    async start() {
      const child = spawn(
        'setpriv',
        ['--pdeathsig', 'KILL', boot, directory, basename(directory), repository, images],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      power = child;
      first = await until('systemd runs in the machine', () =>
        childrenOf(child.pid).find((pid) => readProcess(pid, 'comm').trim() === 'systemd'),
      );
      await until(
        'the machine has booted',
        () => run('systemctl', 'is-system-running').catch(String),
        (state) => /running|degraded/.test(state),
        180,
      );
    },
    async cutPower() {
      first = undefined;
      if (!power || power.exitCode !== null || power.signalCode !== null) return;
      const isOff = new Promise((resolve) => power?.once('exit', resolve));
      power.kill('SIGKILL');
      await isOff;
    },
  };
}

/** Removes what a machine that is off has left. */
export async function removeMachine(directory: string): Promise<void> {
  for (const cgroup of globSync(`/sys/fs/cgroup/{,*/}${basename(directory)}`))
    await removeCgroup(cgroup);
  await rm(directory, { recursive: true, force: true });
}

const childrenOf = (pid?: number) =>
  readProcess(Number(pid), `task/${pid}/children`).split(' ').filter(Boolean).map(Number);

const executeFile = promisify(execFile);

async function outputOf(command: string, args: string[]): Promise<string> {
  const { stdout } = await executeFile(command, args, { timeout: commandMs });
  return stdout.trim();
}
