import { lxcfsMount } from '../../../setup/incus-daemon.ts';
import { kernelChanges, requiredSettings, withWideRange } from '../../../setup/kernel.mjs';
import { missingCommands } from '../../../setup/system-packages.mjs';
import { kernelWarnings } from '../location-setup/kernel.ts';
import { withOwnDisks } from '../location-setup/survey.ts';

/** What was checked, its state, and what to do about a problem. */
export interface Finding {
  what: string;
  /** `problem`: it affects servers or the service. `note`: it is useful to know. */
  state: 'ok' | 'note' | 'problem';
  says: string;
  wayOut?: string;
}

/** Access to the checked machine. Tests replace it. */
export interface Machine {
  /** Reads a file; undefined if it does not exist or can't be read. */
  read(path: string): string | undefined;
  /** Lists the names in a folder; empty if it does not exist or can't be read. */
  list(path: string): string[];
  /** Returns the output of a command; undefined if it fails or does not exist. */
  output(command: string, ...args: string[]): string | undefined;
  /** The free and total bytes of the file system of a path; undefined if the path does not exist. */
  space(path: string): { free: number; total: number } | undefined;
  now: Date;
}

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;
const ok = (what: string, says: string): Finding => ({ what, state: 'ok', says });
const note = (what: string, says: string, wayOut?: string): Finding => ({
  ...{ what, state: 'note' as const, says },
  ...(wayOut !== undefined && { wayOut }),
});
const problem = (what: string, says: string, wayOut: string): Finding => ({
  ...{ what, state: 'problem' as const, says, wayOut },
});

/** Whether systemd manages the services, so that advice can name its commands. */
const hasSystemd = ({ list }: Pick<Machine, 'list'>) => list('/run/systemd').includes('system');

/** Checks the limits without which guests hang, and the settings that bridges need. */
export function kernelFindings(machine: Machine): Finding[] {
  const { read } = machine;
  const wanted = requiredSettings((name) => read(pathOf(name)) !== undefined);
  const low = kernelChanges(wanted, (name: string) => Number(read(pathOf(name))));
  const limits =
    low.length === 0
      ? ok('kernel limits', 'high enough for many servers')
      : problem(
          'kernel limits',
          low.map((name: string) => `${name} is ${read(pathOf(name))?.trim()}`).join(', '),
          low.map((name: string) => `sysctl -w ${name}=${wanted[name]}`).join('; '),
        );
  const bridges = kernelWarnings(read).map((says) =>
    problem('kernel, bridges', says, 'node setup/prepare.mjs start'),
  );
  return [limits, ...bridges, cgroups(machine), ...idRanges(read)];
}

const pathOf = (name: string) => `/proc/sys/${name.replaceAll('.', '/')}`;

function cgroups(machine: Machine): Finding {
  if (machine.read('/sys/fs/cgroup/cgroup.controllers') !== undefined)
    return ok('cgroups', 'version 2');
  return note(
    'cgroups',
    'version 1, which does not count the disk traffic of each server',
    hasSystemd(machine)
      ? 'Start the kernel with systemd.unified_cgroup_hierarchy=1.'
      : 'Mount version 2 instead at boot: mount -t cgroup2 none /sys/fs/cgroup',
  );
}

function idRanges(read: Machine['read']): Finding[] {
  return ['/etc/subuid', '/etc/subgid'].map((path) => {
    const content = read(path) ?? '';
    if (withWideRange(content) === content) return ok(path, 'enough ids for thousands of servers');
    return problem(path, 'too few ids for root', 'node setup/prepare.mjs start');
  });
}

export function packageFindings(): Finding[] {
  const missing = missingCommands();
  if (missing.length === 0) return [ok('commands', 'all installed')];
  return [problem('commands', `missing: ${missing.join(' ')}`, 'node setup/prepare.mjs start')];
}

/** Checks lxcfs, without which guests see the memory and the cores of the whole machine. */
export function lxcfsFinding(machine: Machine): Finding {
  const { read } = machine;
  const broken = (says: string, commands: string) => {
    const how = hasSystemd(machine)
      ? commands
      : 'Stop Incus and all servers (incus admin shutdown), and run "npm start" as root, which starts lxcfs first';
    return problem('lxcfs', says, `${how}. Then restart the servers.`);
  };
  const isMounted = (read('/proc/mounts') ?? '').includes(` ${lxcfsMount} `);
  if (!isMounted) {
    const says = `not mounted at ${lxcfsMount}: servers see the memory of the whole machine`;
    return broken(says, 'Start it: systemctl start lxcfs');
  }
  if (read(`${lxcfsMount}/proc/meminfo`)) return ok('lxcfs', 'mounted and working');
  const says = `does not answer at ${lxcfsMount}/proc/meminfo: commands such as "free" fail in servers`;
  return broken(says, `Restart it: umount --lazy ${lxcfsMount}; systemctl restart lxcfs`);
}

/** How to start an Incus that is installed on this machine. */
export function wayToStartIncus(machine: Pick<Machine, 'list'>): string {
  if (hasSystemd(machine)) return 'Start it: systemctl start incus, or run "npm start" as root.';
  return 'Start it: run "npm start" as root.';
}

/** What to do if the installed service does not respond. */
export function wayToSeeService(machine: Pick<Machine, 'list'>): string {
  if (hasSystemd(machine)) return 'See "systemctl status berth".';
  return 'This machine has no systemd: configure its init system to run "npm start" in the directory of Berth.';
}

/** Checks KVM, which containers do not need, but virtual machines do. */
export function kvmFinding({ list }: Machine): Finding {
  if (list('/dev').includes('kvm')) return ok('KVM', 'available');
  return note(
    'KVM',
    'not available: containers do not need it, but virtual machines do',
    'For virtual machines, enable virtualisation in the firmware, or nested virtualisation in the hypervisor.',
  );
}

/**
 * Checks whether the pool enforces the disk sizes of servers. For btrfs, the kernel reports the state of the quotas.
 */
export function quotaFinding(
  { list, read }: Machine,
  pool: { name: string; driver: string },
): Finding {
  const what = `quota of the pool ${pool.name}`;
  if (withOwnDisks.includes(pool.driver))
    return ok(what, `enforced for each disk (${pool.driver})`);
  if (pool.driver !== 'btrfs') {
    return problem(
      what,
      `the driver ${pool.driver} does not reliably enforce the disk size of a server`,
      'Use a pool of zfs, lvm, ceph or btrfs.',
    );
  }
  const folder = '/sys/fs/btrfs';
  const found = list(folder).find((id) => read(`${folder}/${id}/label`)?.trim() === pool.name);
  if (found === undefined)
    return note(
      what,
      'its file system is not on this machine',
      'Check it on its machine: btrfs qgroup show PATH',
    );
  const says = (file: string) => read(`${folder}/${found}/qgroups/${file}`)?.trim();
  if (says('enabled') !== '1') {
    return problem(
      what,
      'quotas are off, so that a server can fill the whole pool',
      `btrfs quota enable /var/lib/incus/storage-pools/${pool.name}, then restart the servers`,
    );
  }
  if (says('inconsistent') === '1') {
    return problem(
      what,
      'the quota accounting is inconsistent, so that no limit is enforced',
      `btrfs quota rescan -w /var/lib/incus/storage-pools/${pool.name}`,
    );
  }
  return ok(what, 'quotas are on');
}

interface Chain {
  chain?: { table: string; name: string; hook?: string; policy?: string };
}

/** Checks whether other firewall rules, such as those of Docker, drop traffic of servers. */
export function firewallFinding({ output }: Machine): Finding {
  const printed = output('nft', '-j', 'list', 'chains');
  if (printed === undefined) {
    return problem(
      'nftables',
      '"nft list chains" fails',
      'Install nftables, and run this command as root.',
    );
  }
  const { nftables: objects = [] }: { nftables?: Chain[] } = JSON.parse(printed);
  const dropping = objects.flatMap(({ chain }) =>
    chain?.hook === 'forward' && chain.policy === 'drop' && chain.table !== 'incus' ? [chain] : [],
  );
  if (dropping.length === 0) return ok('nftables', 'no other rules drop traffic of servers');
  const names = dropping.map(({ table, name }) => `${table}/${name}`).join(', ');
  return problem(
    'nftables',
    `${names} drops unknown traffic, including that of servers; Docker creates such rules`,
    'Allow the bridge: iptables -I DOCKER-USER -i berthbr0 -j ACCEPT; iptables -I DOCKER-USER -o berthbr0 -j ACCEPT',
  );
}

/** Checks the clock, on which certificates, passkeys and statements depend. */
export function clockFinding(machine: Machine): Finding {
  const { output, read } = machine;
  const said = output('timedatectl', 'show', '--property=NTPSynchronized', '--value')?.trim();
  const isSynchronized =
    said === 'yes' ||
    read('/run/systemd/timesync/synchronized') !== undefined ||
    /Leap status\s*: Normal/.test(output('chronyc', 'tracking') ?? '');
  if (isSynchronized) return ok('clock', 'synchronised over the network');
  const wayOut = hasSystemd(machine)
    ? 'Install chrony or systemd-timesyncd: apt-get install chrony'
    : 'Install chrony, and start chronyd at boot: apt-get install chrony';
  return said === 'no'
    ? problem('clock', 'not synchronised over the network', wayOut)
    : note('clock', 'synchronisation could not be determined', wayOut);
}

function sizeInWords(bytes: number): string {
  if (bytes < gigabyte) return `${Math.floor(bytes / megabyte)} MiB`;
  return `${(bytes / gigabyte).toFixed(1)} GiB`;
}

export function diskFindings({ space }: Machine, paths: Record<string, string>): Finding[] {
  return Object.entries(paths).flatMap(([name, path]) => {
    const found = space(path);
    if (!found) return [];
    const what = `disk of ${name}`;
    const says = `${sizeInWords(found.free)} of ${sizeInWords(found.total)} are free at ${path}`;
    const isLow = found.free < 2 * gigabyte || found.free < found.total / 20;
    return [isLow ? problem(what, says, 'Free disk space, or use a larger disk.') : ok(what, says)];
  });
}

/** Finds the newest export of the timer; undefined if there is none. */
export function lastExport({ list }: Pick<Machine, 'list'>, folder: string): string | undefined {
  const names = list(folder).filter((name) => /^berth-\d{8}T\d{6}Z\.gz$/.test(name));
  const last = names.sort().at(-1);
  return last === undefined ? undefined : `${folder}/${last}`;
}

/** Checks that the last export of the timer is at most two days old. */
export function exportFinding(machine: Machine, folder: string): Finding {
  const { now } = machine;
  const last = lastExport(machine, folder);
  const wayOut = hasSystemd(machine)
    ? 'See "systemctl status berth-export.timer berth-export".'
    : `This machine has no systemd: run this command daily, for example with cron: npm run db -- backup ${folder} --keep 14`;
  if (last === undefined) return problem('exports', `none in ${folder} yet`, wayOut);
  const [, y, m, d, h, min] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(last) ?? [];
  const hours = (now.getTime() - Date.parse(`${y}-${m}-${d}T${h}:${min}Z`)) / 3_600_000;
  const says = `the last one is ${last}`;
  return hours > 48
    ? problem('exports', `${says}, ${Math.floor(hours)} hours old`, wayOut)
    : ok('exports', says);
}

/** Formats findings, with the advice below each problem. */
export function findingsInWords(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const marks = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' };
  return findings
    .flatMap(({ what, state, says, wayOut }) => [
      `${marks[state]}  ${what.padEnd(width)}  ${says.replaceAll('\n', `\n${' '.repeat(11 + width)}`)}`,
      ...(wayOut === undefined ? [] : [`${' '.repeat(11 + width)}→ ${wayOut}`]),
    ])
    .join('\n');
}

/** Summarizes the number of problems, and what was checked. */
export function summaryInWords(findings: readonly Finding[]): string {
  const checked = [...new Set(findings.map(({ what }) => what))].join(', ');
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (problems === 0) return `No problems. Checked: ${checked}.`;
  return `${problems === 1 ? '1 problem' : `${problems} problems`}. Checked: ${checked}.`;
}
