import { readFileSync } from 'node:fs';
import { SetupError, say, writeAsRoot } from './commands.mjs';

/**
 * Least values. Without the first, guests hang in boot past a dozen: systemd in each takes several
 * of these instances, and all guests of one id map share them.
 */
const limits = {
  'fs.inotify.max_user_instances': 8192,
  'fs.inotify.max_user_watches': 524288,
  'kernel.keys.maxkeys': 2000,
};
const settingsFile = '/etc/sysctl.d/60-berth.conf';

const idRanges = ['/etc/subuid', '/etc/subgid'];
/** Guests get 65,536 ids of their own each; this is enough for 15,000. */
const leastIds = 1_000_000_000;

/** Raises what is too low, now and for later boots; never lowers anything. */
export function raiseKernelLimits() {
  const current = (name) => Number(readFileSync(procPath(name), 'utf8'));
  const low = tooLow(limits, current);
  if (low.length === 0) return;
  say(`Raising kernel limits that many guests need: ${low.join(', ')}`);
  const lines = Object.entries(limits).map(([name, least]) => [
    name,
    Math.max(least, current(name)),
  ]);
  try {
    writeAsRoot(settingsFile, lines.map(([name, value]) => `${name} = ${value}\n`).join(''));
    for (const name of low) writeAsRoot(procPath(name), String(limits[name]));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(
      `  They could not be raised (${error.message}): past a dozen servers, guests may hang in boot.`,
    );
  }
}

/** @param {string} name */
const procPath = (name) => `/proc/sys/${name.replaceAll('.', '/')}`;

/**
 * The names whose current value is below the least.
 * @param {Record<string, number>} least
 * @param {(name: string) => number} current
 */
export function tooLow(least, current) {
  return Object.keys(least).filter((name) => current(name) < least[name]);
}

/** Each guest has ids of its own, out of root's ranges. */
export function widenIdRanges() {
  for (const path of idRanges) {
    const content = readFileSync(path, 'utf8');
    const wide = withWideRange(content);
    if (wide === content) continue;
    say(`Widening root's range of ids for guests in ${path}`);
    writeAsRoot(path, wide);
  }
}

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
