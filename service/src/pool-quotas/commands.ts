import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInconsistent, modeOf } from './counting.ts';
import { btrfsAt, type Mount } from './mount.ts';

const run = promisify(execFile);
const quick = 60_000;
const longestAnswer = 16 * 2 ** 20;

/** What only root may ask of a mounted btrfs. */
export type RootCall =
  | { call: 'show groups' | 'clear stale' | 'rescan' | 'count simply' }
  | { call: 'list subvolumes'; volume: string }
  | { call: 'limit'; volume: string; bytes: number };

/** The most that a call may take. A pool of many terabytes is counted for minutes. */
export const longestMilliseconds = ({ call }: RootCall) =>
  call === 'rescan' ? 30 * 60_000 : quick;

/** What `count simply` prints; nothing where there are quotas, or is something in it, already. */
export const begun = 'begun';

/** Of linux/btrfs.h: BTRFS_IOC_QUOTA_CTL with BTRFS_QUOTA_CTL_ENABLE_SIMPLE_QUOTA. */
export const countSimply = `
  sysopen(my $folder, $ARGV[0], 0) or die "$!\\n";
  ioctl($folder, 0xC0109428, my $call = pack('QQ', 4, 0)) or die "$!\\n";
  print '${begun}';`;

type Command = [program: string, ...args: string[]];

function commandOf(path: string, call: Exclude<RootCall, { call: 'limit' }>): Command {
  switch (call.call) {
    case 'show groups':
      return ['btrfs', 'qgroup', 'show', '-re', '--raw', path];
    case 'list subvolumes':
      return ['btrfs', 'subvolume', 'list', '-o', join(path, call.volume)];
    case 'clear stale':
      return ['btrfs', 'qgroup', 'clear-stale', path];
    case 'rescan':
      // Also where somebody else has begun it.
      return ['btrfs', 'quota', 'rescan', '-w', path];
    case 'count simply':
      // The tools of Debian 12 and Ubuntu 24.04 don't know of it, though the kernel may.
      return ['perl', '-e', countSimply, path];
  }
}

/**
 * Does it, as root. Answers what was printed. Throws where it failed, and where it would do more than what it is for.
 * @param path where a btrfs is mounted
 */
export async function perform(path: string, call: RootCall, signal?: AbortSignal): Promise<string> {
  if (call.call === 'count simply' && !(await isNew(path, signal))) return '';
  if (call.call === 'limit') return await limit(path, call, signal);
  // To count all anew costs everybody in the pool.
  if (call.call === 'rescan' && !isInconsistent(await requireBtrfs(path))) return '';
  return await output(commandOf(path, call), longestMilliseconds(call), signal);
}

/**
 * Asked of the root of the pool: asked of a subvolume, the kernel writes there, and refuses that where it is full,
 * so that its limit could not be lifted.
 */
async function limit(
  path: string,
  { volume, bytes }: Extract<RootCall, { call: 'limit' }>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const subvolume = join(path, volume);
  await requireSubvolume(subvolume);
  const idOf: Command = ['btrfs', 'inspect-internal', 'rootid', subvolume];
  const id = (await output(idOf, quick, signal)).trim();
  return await output(['btrfs', 'qgroup', 'limit', String(bytes), `0/${id}`, path], quick, signal);
}

async function output(
  [program, ...args]: Command,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C' };
  const options = { timeout, signal, env, maxBuffer: longestAnswer };
  return (await run(program, args, options)).stdout;
}

export async function requireBtrfs(path: string): Promise<Mount> {
  const mount = await btrfsAt(path);
  if (mount?.path !== path) throw new Error(`No btrfs is mounted on ${path}.`);
  return mount;
}

/** In another one all limits that are in force would be lost. */
async function isNew(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (modeOf(await requireBtrfs(path)) !== 'none') return false;
  return (await output(['btrfs', 'subvolume', 'list', path], quick, signal)) === '';
}

const subvolumeInode = 256;

/** What is no subvolume is part of one: the limit would be that of all of the pool. */
async function requireSubvolume(path: string): Promise<void> {
  const { ino } = await lstat(path);
  if (ino === subvolumeInode && (await realpath(path)) === path) return;
  throw new Error(`${path} is no subvolume.`);
}
