import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isRoot, output, run, SetupError } from '../../../setup/commands.mjs';
import type { Environment } from '../config/settings.ts';

/** The paths of a standard installation. */
export const places = {
  /** Links to the folder of the version in use, and to that of the previous one. */
  current: '/opt/berth/current',
  previous: '/opt/berth/previous',
  settings: '/etc/berth/berth.env',
  settingsFolder: '/etc/berth',
  data: '/var/lib/berth',
  cache: '/var/cache/berth',
  exports: '/var/backups/berth',
  units: '/etc/systemd/system',
} as const;

export const user = 'berth';
export const service = 'berth.service';
export const timer = 'berth-export.timer';
export const units = [service, 'berth-pools.service', 'berth-export.service', timer];

/** The parts of the machine that an installation changes. */
export interface Host {
  /** The prefix of every path. If it is not `/`, commands of the machine are only printed. */
  root: string;
  /** Gets a sentence for each change. */
  say: (text: string) => void;
  /** Runs a command, such as `systemctl`. If it fails, throws a `SetupError` with its output. */
  command: (wayOut: string, program: string, ...args: string[]) => Promise<void>;
  /** Runs a command as the user of the service, with these settings. */
  asService: (
    wayOut: string,
    settings: Environment,
    program: string,
    ...args: string[]
  ) => Promise<void>;
  /** Whether a command succeeds. */
  succeeds: (program: string, ...args: string[]) => boolean;
}

/** What to do instead on machines without systemd. */
export const withoutSystemd = {
  install: 'Configure its init system to run "npm start" in this directory at boot.',
  remove:
    'Stop Berth, and remove "npm start" from the configuration of the init system. To remove Berth with its servers and data: npm run uninstall.',
  upgrade:
    'In the directory of the previous version, export the database: npm run db -- export FILE. Then stop Berth, and run "npm start" in this directory with the same settings and BERTH_DATA_DIR set to the data directory that is in use. See "Without systemd" in docs/installation.md.',
  back: 'Stop Berth, and run "npm start" in the directory of the previous version, with the same settings and BERTH_DATA_DIR. See "Without systemd" in docs/installation.md.',
  restore:
    'Stop Berth, move the directory "postgres" out of the data directory, and import: npm run db -- import FILE. Then run "npm start". See "Without systemd" in docs/installation.md.',
  uninstall: `An installed service can be removed only while systemd runs. If it never ran here, remove the link ${places.current}, then run this command again.`,
} as const;

/**
 * @param wayOut what to do without systemd; undefined if systemd is not needed
 * @throws SetupError if systemd is needed and does not run, or this user is not root
 */
export function openHost(root: string, say: Host['say'], wayOut: string | undefined): Host {
  const isThisMachine = root === '/';
  if (isThisMachine && wayOut !== undefined) requireSystemd(wayOut);
  return {
    root,
    say,
    async command(wayOut, program, ...args) {
      if (isThisMachine) run(program, args, wayOut);
      else say(`Not run, since --root is given: ${[program, ...args].join(' ')}`);
    },
    async asService(wayOut, settings, program, ...args) {
      if (!isThisMachine)
        return say(`Not run, since --root is given: ${[program, ...args].join(' ')}`);
      const env = { ...process.env, ...settings };
      const all = ['-u', user, '--', program, ...args];
      const { status, stdout, stderr } = spawnSync('runuser', all, { env, encoding: 'utf8' });
      if (status === 0) return;
      throw new SetupError(
        `Failed: ${program} ${args.join(' ')}`,
        wayOut,
        `${stdout}${stderr}`.trim(),
      );
    },
    succeeds: (program, ...args) => isThisMachine && output(program, args) !== undefined,
  };
}

function requireSystemd(wayOut: string): void {
  if (!existsSync('/run/systemd/system')) {
    throw new SetupError('This machine was not started by systemd.', wayOut);
  }
  if (isRoot()) return;
  throw new SetupError('This command changes the machine.', 'Run it as root, or with sudo.');
}

/** Whether a service of Berth is installed below a root. */
export const isInstalled = (root: string) =>
  lstatSync(join(root, places.current), { throwIfNoEntry: false }) !== undefined;

/** A path of the machine, below the root. */
export const on = ({ root }: Pick<Host, 'root'>, path: string) => join(root, path);

/** Makes a directory with its parents. */
export function makeFolder(host: Host, path: string, mode: number): void {
  mkdirSync(on(host, dirname(path)), { recursive: true });
  mkdirSync(on(host, path), { recursive: true, mode });
}

/** The target of a link; undefined if there is none. */
export function linked(host: Host, path: string): string | undefined {
  const own = on(host, path);
  return lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink()
    ? readlinkSync(own)
    : undefined;
}

/** Creates a link, or replaces its target atomically. */
export function link(host: Host, path: string, target: string): void {
  const own = on(host, path);
  mkdirSync(dirname(own), { recursive: true });
  rmSync(`${own}.new`, { force: true });
  symlinkSync(target, `${own}.new`);
  renameSync(`${own}.new`, own);
}

/** Moves a file or a directory, also to another file system. */
export function move(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  rmSync(from, { recursive: true });
}

/**
 * Whether a data directory belongs to a Berth on a simulated Incus, which `npm run start:simulated` records there. For
 * a data directory of a previous release, the socket shows it while Berth runs.
 */
export const isSimulated = (dataDir: string) =>
  ['simulated', 'incus.socket'].some((name) => existsSync(join(dataDir, name)));
