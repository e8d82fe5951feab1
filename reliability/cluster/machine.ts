import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daemonsOf } from '../../e2e/private-incus.ts';
import { run } from '../../e2e/processes.ts';
import { commandLine, killAll, readProcess } from '../../service/src/testing/processes.ts';
import { until } from '../../service/src/testing/until.ts';

/**
 * A machine with separate network and mount namespaces, which a process keeps alive even while no
 * daemon runs in them.
 */
export interface Machine {
  /** The name of the member in the cluster. */
  name: string;
  address: string;
  incusDir: string;
  socketPath: string;
  /** The switch's end of its cable. */
  cable: string;
  /** The process that keeps the namespaces. */
  pid: number;
}

export interface Site {
  directory: string;
  /** The bridge that stands for the switch between the machines. */
  bridge: string;
  /** The address of the tests on that bridge. */
  address: string;
}

const prefixLength = 29;
const endedSeconds = 120;
/** A machine's own end of its cable. */
const card = 'eth0';
const daemon = fileURLToPath(new URL('./daemon.ts', import.meta.url));

// Its /sys shows its own network links, and the cgroups of the whole machine. It has its own lxcfs,
// since another one may end at any time.
const keep = `set -e
mkdir -p "$0.cgroup"
mount --rbind /sys/fs/cgroup "$0.cgroup"
mount -t sysfs sysfs /sys
mount --move "$0.cgroup" /sys/fs/cgroup
if grep -q ' /var/lib/lxcfs ' /proc/mounts; then umount --lazy /var/lib/lxcfs; fi
ip link set lo up
exec tail -f "$0"`;

export const incusDirOf = ({ directory }: Site, name: string) => join(directory, name, 'incus');

/** Creates the switch, and connects the machine on which the tests run. */
export function makeSwitch({ bridge, address }: Site): void {
  run('ip', ['link', 'add', bridge, 'type', 'bridge']);
  run('ip', ['address', 'add', `${address}/${prefixLength}`, 'dev', bridge]);
  run('ip', ['link', 'set', bridge, 'up']);
}

/** Creates a machine that is connected to the switch, without a daemon. */
export async function makeMachine(
  site: Site,
  { name, address, cable }: Pick<Machine, 'name' | 'address' | 'cable'>,
): Promise<Machine> {
  const incusDir = incusDirOf(site, name);
  mkdirSync(incusDir, { recursive: true, mode: 0o711 });
  const kept = join(incusDir, 'namespaces');
  writeFileSync(kept, '');
  const holder = spawn('unshare', ['--mount', '--net', 'sh', '-c', keep, kept], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  holder.unref();
  const { pid } = holder;
  if (pid === undefined) throw new Error('The namespaces could not be created.');
  await untilKept(pid);
  const machine = {
    name,
    address,
    cable,
    incusDir,
    pid,
    socketPath: join(incusDir, 'unix.socket'),
  };
  const peer = ['peer', 'name', card, 'netns', String(pid)];
  run('ip', ['link', 'add', cable, 'type', 'veth', ...peer]);
  run('ip', ['link', 'set', cable, 'master', site.bridge]);
  runOn(machine, ['ip', 'address', 'add', `${address}/${prefixLength}`, 'dev', card]);
  runOn(machine, ['ip', 'link', 'set', card, 'up']);
  plugIn(machine);
  return machine;
}

/** The script has ended when its last program runs. */
async function untilKept(pid: number): Promise<void> {
  await until('the namespaces of a machine exist', () => {
    if (commandLine(pid) === '')
      throw new Error('The namespaces of a machine could not be created.');
    return readProcess(pid, 'comm').trim() === 'tail';
  });
}

/** Runs a command on that machine. Returns its output. */
export function runOn({ pid }: Machine, command: string[], input?: string): string {
  return run('nsenter', ['--target', String(pid), '--mount', '--net', '--', ...command], input);
}

/** The `incus` command line on a machine. `input` becomes its standard input, as YAML. */
export function incusOn(machine: Machine, args: string[], input?: object): string {
  const command = ['env', `INCUS_DIR=${machine.incusDir}`, 'incus', ...args];
  return runOn(machine, command, input && JSON.stringify(input));
}

/** Starts its daemon, unless that runs, and resolves when it answers. Its guests keep running. */
export async function startDaemon({ pid, incusDir }: Machine): Promise<void> {
  const args = ['--target', String(pid), '--mount', '--net', '--', process.execPath, daemon];
  const child = spawn('nsenter', [...args, incusDir], { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`The daemon in ${incusDir} could not be started.`);
}

/** Kills the daemon with SIGKILL. Its guests keep running. */
export async function killDaemon({ incusDir }: Machine): Promise<void> {
  await killAll(() => daemonsOf(incusDir));
}

/** Stops the daemon like a restart of its service: its guests keep running. */
export async function stopDaemon({ incusDir }: Machine): Promise<void> {
  for (const pid of daemonsOf(incusDir)) process.kill(pid, 'SIGTERM');
  const daemons = () => daemonsOf(incusDir);
  const areNone = (pids: number[]) => pids.length === 0;
  await until(`the daemon in ${incusDir} has ended`, daemons, areNone, endedSeconds);
}

/** Disconnects the machine from the network without any notice. */
export function unplug({ cable }: Machine): void {
  run('ip', ['link', 'set', cable, 'down']);
}

export function plugIn({ cable }: Machine): void {
  run('ip', ['link', 'set', cable, 'up']);
}
