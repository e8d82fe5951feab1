import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runAsRoot, SetupError, say, writeAsRoot } from './commands.mjs';
import { recordLine, writeRecorded } from './written.mjs';

/**
 * Minimum values. Without the first, guests hang during boot if there are more than a dozen: systemd in each uses
 * several of these instances, and all guests with the same id map share them. All guests and their uplink share the
 * neighbour tables. With the default of 1,024 entries, a scan of a subnet from outside fills them, and other guests
 * become unreachable ("neighbor table overflow").
 */
const limits = {
  'fs.inotify.max_user_instances': 8192,
  'fs.inotify.max_user_watches': 524288,
  'kernel.keys.maxkeys': 2000,
  ...neighbours('ipv4'),
  ...neighbours('ipv6'),
};

/** @param {string} family */
function neighbours(family) {
  const table = `net.${family}.neigh.default.gc_thresh`;
  return { [`${table}1`]: 8192, [`${table}2`]: 32768, [`${table}3`]: 65536 };
}

/**
 * Exact values. Without the first, Incus refuses a NIC with `security.ipv6_filtering` (Incus documentation, "Type:
 * nic"). If the second were 1, packets on a bridge would be translated twice, and guests could not reach each other
 * through a network forward.
 */
const bridges = {
  'net.bridge.bridge-nf-call-ip6tables': 1,
  'net.bridge.bridge-nf-call-iptables': 0,
};
const bridgeModule = 'br_netfilter';
export const modulesFile = '/etc/modules-load.d/berth.conf';
export const settingsFile = '/etc/sysctl.d/60-berth.conf';

export const idRanges = ['/etc/subuid', '/etc/subgid'];
/** Each guest gets its own 65,536 ids; this is enough for 15,000 guests. */
const leastIds = 1_000_000_000;

/**
 * Raises limits that are too low, and sets what bridges need, now and for later boots. Never lowers
 * a limit.
 */
export function setUpKernel() {
  loadBridgeModule();
  const wanted = requiredSettings((name) => existsSync(procPath(name)));
  const changes = kernelChanges(wanted, current);
  if (changes.length === 0) return;
  say(`Setting kernel parameters that many guests need: ${changes.join(', ')}`);
  const lines = Object.entries(wanted).map(([name, value]) =>
    name in limits ? [name, Math.max(value, current(name))] : [name, value],
  );
  try {
    writeRecorded(settingsFile, lines.map(([name, value]) => `${name} = ${value}\n`).join(''));
    for (const name of changes) writeAsRoot(procPath(name), String(wanted[name]));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(
      `  The parameters could not be set (${error.message}). With more than a dozen servers, guests may hang during boot, and Incus may refuse to start servers that have an IPv6 address.`,
    );
  }
}

/**
 * The kernel parameters that this kernel has, with their minimum or exact value.
 * @param {(name: string) => boolean} isThere
 * @returns {Record<string, number>}
 */
export function requiredSettings(isThere) {
  return Object.fromEntries(
    Object.entries({ ...limits, ...bridges }).filter(([name]) => isThere(name)),
  );
}

const hasBridgeSettings = () => existsSync(procPath(Object.keys(bridges)[0]));

/** Loads the module, which some kernels have built in. Incus does not load it. */
function loadBridgeModule() {
  if (hasBridgeSettings()) return;
  say(`Loading the kernel module ${bridgeModule}, which bridges need to filter IPv6`);
  try {
    runAsRoot('modprobe', [bridgeModule], `Load ${bridgeModule} by hand.`);
    runAsRoot('mkdir', ['-p', dirname(modulesFile)], `Create ${dirname(modulesFile)} by hand.`);
    writeRecorded(modulesFile, `${bridgeModule}\n`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(
      `  The module could not be loaded (${error.message}). Incus will refuse to start servers that have an IPv6 address.`,
    );
  }
}

/** @param {string} name */
const current = (name) => Number(readFileSync(procPath(name), 'utf8'));

/** @param {string} name */
const procPath = (name) => `/proc/sys/${name.replaceAll('.', '/')}`;

/**
 * The names of limits below their minimum, and of bridge parameters with another value.
 * @param {Record<string, number>} wanted
 * @param {(name: string) => number} currentOf
 */
export function kernelChanges(wanted, currentOf) {
  return Object.keys(wanted).filter((name) =>
    name in bridges ? currentOf(name) !== wanted[name] : currentOf(name) < wanted[name],
  );
}

/** Enlarges the id ranges of root, from which each guest gets its own ids. */
export function widenIdRanges() {
  for (const path of idRanges) {
    const content = readFileSync(path, 'utf8');
    const wide = withWideRange(content);
    if (wide === content) continue;
    say(`Enlarging the id range of root for guests in ${path}`);
    writeAsRoot(path, wide);
    recordLine(path, content, wide);
  }
}

/**
 * Whether a line of such a file looks like the one that is written here.
 * @param {string} line
 */
export const isWideRange = (line) =>
  /^root:\d+:/.test(line) && Number(line.split(':')[2]) === leastIds;

/**
 * The content of the file with a large enough range for root, and other lines unchanged.
 * @param {string} content lines of `user:first:count` (subuid(5))
 */
export function withWideRange(content) {
  const lines = content.split('\n').filter((line) => line !== '');
  const isEnough = (line) => /^(root|0):/.test(line) && Number(line.split(':')[2]) >= leastIds;
  if (lines.some(isEnough)) return content;
  const others = lines.filter((line) => !/^(root|0):/.test(line));
  const ends = others.map((line) => Number(line.split(':')[1]) + Number(line.split(':')[2]));
  const first = Math.max(1_000_000, ...ends);
  return [...others, `root:${first}:${leastIds}`, ''].join('\n');
}
