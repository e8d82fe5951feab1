import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  commandLine,
  environment,
  killAll,
  processIds,
  readProcess,
} from '../service/src/testing/processes.ts';
import { until } from '../service/src/testing/until.ts';
import { ensureIncus } from '../setup/incus-daemon.ts';
import { run } from './processes.ts';

export interface PrivateIncus {
  incusDir: string;
  /** Its bridges, whose names no other Incus on the machine uses. */
  bridges: string[];
}

/**
 * Removes everything of an Incus that was started for tests, in any state: kills the daemon and its
 * guests, and removes mounts, bridges, firewall rules and the directory. Affects only what has the
 * name of that directory or of those bridges. Returns the links of its guests for `leftoversOf`,
 * because nothing names them once the directory is gone.
 */
export async function removePrivateIncus({ incusDir, bridges }: PrivateIncus): Promise<string[]> {
  const links = [...guestLinksOf(incusDir), ...bridges.flatMap(portsOf)];
  const instances = instancesOf(incusDir);
  await killAll(() => daemonsOf(incusDir));
  await Promise.all(instances.flatMap(freezersOf).map(thaw));
  await killAll(() => guestsOf(incusDir));
  // This comes first: killed later, it would leave a dead mount.
  await stopLxcfs(incusDir);
  await killAll(() => processesNaming(incusDir));
  unmountBelow(incusDir);
  await freeLoopDevices(incusDir);
  // The monitor of a guest that is killed gives its end of the pair back to the host.
  for (const link of links) removeLink(link);
  for (const bridge of bridges) removeBridge(bridge);
  removeChains((chain) => instances.some((name) => chain.includes(`.${name}.`)));
  for (const cgroup of instances.flatMap(cgroupsOf)) await removeCgroup(cgroup);
  await rm(incusDir, { recursive: true, force: true });
  return links;
}

/** Kills its daemon with SIGKILL, and starts it again. Its guests keep running. */
export async function killDaemon(incusDir: string): Promise<void> {
  await killAll(() => daemonsOf(incusDir));
  await ensureIncus({ incusDir, say: () => undefined });
}

/** Returns what is left of it, as texts; empty if nothing is left. */
export function leftoversOf({ incusDir, bridges }: PrivateIncus, links: string[]): string[] {
  return [
    ...daemonsOf(incusDir).map((pid) => `the daemon ${pid}`),
    ...processesNaming(incusDir).map((pid) => `the process ${pid}: ${commandLine(pid)}`),
    ...mountsBelow(incusDir).map((path) => `the mount ${path}`),
    ...loopDevicesOf(incusDir).map((device) => `the loop device ${device}`),
    ...[...links, ...bridges].filter(linkExists).map((link) => `the network link ${link}`),
    ...incusChains()
      .filter(({ chain }) => bridges.some((bridge) => chain.endsWith(`.${bridge}`)))
      .map(({ chain }) => `the firewall chain ${chain}`),
    ...(existsSync(incusDir) ? [`the directory ${incusDir}`] : []),
  ];
}

export function daemonsOf(incusDir: string): number[] {
  return processIds().filter(
    (pid) =>
      /\bincusd\b/.test(commandLine(pid)) && environment(pid).includes(`INCUS_DIR=${incusDir}`),
  );
}

/** dnsmasq, the monitors of containers, and helpers of the daemon name its directory. */
function processesNaming(incusDir: string): number[] {
  return processIds().filter((pid) => `${commandLine(pid)} `.includes(`${incusDir}/`));
}

/** The first process of each container: with it, the kernel ends all the others. */
export function guestsOf(incusDir: string): number[] {
  const monitors = new Set(
    processesNaming(incusDir).filter((pid) => commandLine(pid).startsWith('[lxc monitor]')),
  );
  return processIds().filter((pid) => {
    const parent = /^PPid:\s*(\d+)/m.exec(readProcess(pid, 'status'))?.[1];
    return parent !== undefined && monitors.has(Number(parent));
  });
}

/** Only the one that was started for this Incus: another one's guests would lose theirs. */
async function stopLxcfs(incusDir: string): Promise<void> {
  const pidFile = join(incusDir, 'berth-lxcfs.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(await readFile(pidFile, 'utf8'));
  if (!/^lxcfs\b/.test(commandLine(pid))) return;
  process.kill(pid, 'SIGTERM');
  await until('lxcfs has ended', () => !/^lxcfs\b/.test(commandLine(pid)));
}

function mountsBelow(directory: string): string[] {
  const paths = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return paths.filter((path) => path.startsWith(`${directory}/`)).reverse();
}

/** Unmounts everything below a directory, even if it is in use. */
export function unmountBelow(directory: string): void {
  for (const mount of mountsBelow(directory)) run('umount', ['--lazy', mount]);
}

/** LXC removes them at a container's orderly end only. */
function cgroupsOf(instance: string): string[] {
  return globSync(`/sys/fs/cgroup/{,*/}lxc.{monitor,payload}.${instance}{,-*}`);
}

/** The states of its freezer of cgroups version 1, which holds the processes of a paused guest even if they are killed. */
const freezersOf = (instance: string) =>
  globSync(`/sys/fs/cgroup/freezer/lxc.payload.${instance}{,-*}/freezer.state`);

/** The guest may have ended meanwhile, and its cgroup with it. */
async function thaw(freezer: string): Promise<void> {
  await writeFile(freezer, 'THAWED').catch(requireGone);
}

function requireGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT' && error.code !== 'ENODEV') throw error;
}

/** Their files go with them; only the folders inside have to be removed first. */
export async function removeCgroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeCgroup(join(folder, entry.name));
  }
  await until(`${folder} is removed`, () => isRemoved(folder));
}

/** The cgroup contains killed processes until the kernel is done with them. */
async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EBUSY') return false;
    // LXC removed it meanwhile.
    if (code === 'ENOENT') return true;
    throw error;
  }
}

/**
 * A loop device is freed as soon as it is no longer in use: mounts disappear a moment after their
 * processes.
 */
async function freeLoopDevices(directory: string): Promise<void> {
  for (const device of loopDevicesOf(directory)) run('losetup', ['--detach', device]);
  await until(
    'no loop device is used',
    () => loopDevicesOf(directory),
    ({ length }) => length === 0,
  );
}

function loopDevicesOf(directory: string): string[] {
  const { loopdevices } = JSON.parse(run('losetup', ['--list', '--json']) || '{"loopdevices":[]}');
  return loopdevices
    .filter((device: { 'back-file': string }) => device['back-file'].startsWith(`${directory}/`))
    .map((device: { name: string }) => device.name);
}

/** The guests' ends of their links, from the configuration of LXC. */
function guestLinksOf(incusDir: string): string[] {
  const configs = globSync(join(incusDir, 'run/*/lxc.conf'));
  return configs.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^lxc\.net\.\d+\.link = (\S+)$/gm)].map(
      (m) => m[1] ?? '',
    ),
  );
}

function portsOf(bridge: string): string[] {
  const folder = `/sys/class/net/${bridge}/brif`;
  return existsSync(folder) ? readdirSync(folder) : [];
}

const linkExists = (link: string) => existsSync(`/sys/class/net/${link}`);

/** Removing one end of a pair also removes the other. */
function removeLink(link: string): void {
  if (linkExists(link)) run('ip', ['link', 'delete', link]);
}

function removeBridge(bridge: string): void {
  removeLink(bridge);
  removeChains((chain) => chain.endsWith(`.${bridge}`));
}

/** The directories of instances, named with the project as a prefix, except for the default project. */
function instancesOf(incusDir: string): string[] {
  const folder = join(incusDir, 'containers');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Emptied first, since some of them jump to others. */
function removeChains(isOurs: (chain: string) => boolean): void {
  const chains = incusChains().filter(({ chain }) => isOurs(chain));
  for (const verb of ['flush', 'delete']) {
    for (const { family, table, chain } of chains)
      run('nft', [verb, 'chain', family, table, chain]);
  }
}

interface Chain {
  family: string;
  table: string;
  chain: string;
}

/** Incus names its chains after what they are for: `fwd.berthbr0`, `in.srv-1.eth0`. */
function incusChains(): Chain[] {
  const { nftables } = JSON.parse(run('nft', ['--json', 'list', 'chains']));
  const chains: { family: string; table: string; name: string }[] = nftables.flatMap(
    (entry: { chain?: object }) => entry.chain ?? [],
  );
  return chains
    .filter(({ table }) => table === 'incus')
    .map(({ family, table, name }) => ({ family, table, chain: name }));
}
