import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runAsRoot, SetupError, say, writeAsRoot } from './commands.mjs';
import { recordLine, writeRecorded } from './written.mjs';

/**
 * Least values. Without the first, guests hang in boot past a dozen: systemd in each takes several
 * of these instances, and all guests of one id map share them. The neighbour tables are one for all
 * guests and their uplink: with the usual 1,024 entries, who scans a subnet from outside fills them, and
 * other guests are not found any more ("neighbor table overflow").
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
 * Exact values. Incus refuses a card with `security.ipv6_filtering` without the first (Incus
 * documentation, "Type: nic"); with the second at 1, what a bridge passes on would be translated once
 * more, and guests would not reach each other through a forward.
 */
const bridges = {
  'net.bridge.bridge-nf-call-ip6tables': 1,
  'net.bridge.bridge-nf-call-iptables': 0,
};
const bridgeModule = 'br_netfilter';
export const modulesFile = '/etc/modules-load.d/berth.conf';
export const settingsFile = '/etc/sysctl.d/60-berth.conf';

export const idRanges = ['/etc/subuid', '/etc/subgid'];
/** Guests get 65,536 ids of their own each; this is enough for 15,000. */
const leastIds = 1_000_000_000;

/** Raises what is too low, and sets what bridges need, now and for later boots; lowers no limit. */
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
      `  They could not be set (${error.message}): past a dozen servers, guests may hang in boot, and servers with IPv6 may be refused.`,
    );
  }
}

/**
 * Kernel parameters that this kernel has, with their least or exact value.
 * @param {(name: string) => boolean} isThere
 * @returns {Record<string, number>}
 */
export function requiredSettings(isThere) {
  return Object.fromEntries(
    Object.entries({ ...limits, ...bridges }).filter(([name]) => isThere(name)),
  );
}

const hasBridgeSettings = () => existsSync(procPath(Object.keys(bridges)[0]));

/** It is a module on most kernels, built into some; Incus does not load it. */
function loadBridgeModule() {
  if (hasBridgeSettings()) return;
  say(`Loading the kernel module ${bridgeModule}, which bridges need to filter IPv6`);
  try {
    runAsRoot('modprobe', [bridgeModule], `Load ${bridgeModule} by hand.`);
    runAsRoot('mkdir', ['-p', dirname(modulesFile)], `Make ${dirname(modulesFile)} by hand.`);
    writeRecorded(modulesFile, `${bridgeModule}\n`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(
      `  It could not be loaded (${error.message}): Incus will refuse to start servers that have an IPv6 address.`,
    );
  }
}

/** @param {string} name */
const current = (name) => Number(readFileSync(procPath(name), 'utf8'));

/** @param {string} name */
const procPath = (name) => `/proc/sys/${name.replaceAll('.', '/')}`;

/**
 * The names whose current value is below the least, and those of bridges that have another one.
 * @param {Record<string, number>} wanted
 * @param {(name: string) => number} currentOf
 */
export function kernelChanges(wanted, currentOf) {
  return Object.keys(wanted).filter((name) =>
    name in bridges ? currentOf(name) !== wanted[name] : currentOf(name) < wanted[name],
  );
}

/** Each guest has ids of its own, out of root's ranges. */
export function widenIdRanges() {
  for (const path of idRanges) {
    const content = readFileSync(path, 'utf8');
    const wide = withWideRange(content);
    if (wide === content) continue;
    say(`Widening root's range of ids for guests in ${path}`);
    writeAsRoot(path, wide);
    recordLine(path, content, wide);
  }
}

/**
 * Whether a line of such a file looks like the one that is put there.
 * @param {string} line
 */
export const isWideRange = (line) =>
  /^root:\d+:/.test(line) && Number(line.split(':')[2]) === leastIds;

/**
 * The file with root's range wide enough, other lines untouched.
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
