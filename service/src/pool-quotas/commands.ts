import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInconsistent, modeOf } from './counting.ts';
import { btrfsAt, type Mount } from './mount.ts';

const run = promisify(execFile);
const quick = 60_000;
const longestAnswer = 16 * 2 ** 20;

/** The calls on a mounted btrfs that only root may make. */
export type RootCall =
  | { call: 'show groups' | 'clear stale' | 'rescan' | 'count simply' }
  | { call: 'list subvolumes'; volume: string }
  | { call: 'limit'; volume: string; bytes: number };

/** The timeout of a call. A rescan of many terabytes takes minutes. */
export const timeoutMilliseconds = ({ call }: RootCall) =>
  call === 'rescan' ? 30 * 60_000 : quick;

/**
 * The output of `count simply` if it enabled quotas; there is none if they were enabled before, or
 * the file system is not empty.
 */
export const begun = 'begun';

/** BTRFS_IOC_QUOTA_CTL with BTRFS_QUOTA_CTL_ENABLE_SIMPLE_QUOTA, from linux/btrfs.h. */
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
      // This also succeeds if another process has started it.
      return ['btrfs', 'quota', 'rescan', '-w', path];
    case 'count simply':
      // The tools of Debian 12 and Ubuntu 24.04 do not know simple quotas, even if the kernel does.
      return ['perl', '-e', countSimply, path];
  }
}

/**
 * Runs a call as root. Returns its output. Throws if it failed, or if it would affect more than
 * intended.
 * @param path the mount point of a btrfs
 */
export async function perform(path: string, call: RootCall, signal?: AbortSignal): Promise<string> {
  if (call.call === 'count simply' && !(await isNew(path, signal))) return '';
  if (call.call === 'limit') return await limit(path, call, signal);
  // A rescan slows down everything in the pool.
  if (call.call === 'rescan' && !isInconsistent(await requireBtrfs(path))) return '';
  return await output(commandOf(path, call), timeoutMilliseconds(call), signal);
}

/**
 * Sets the limit by the root of the pool. By the path of a subvolume, the kernel would write to it,
 * which fails if it is full, so that its limit could not be raised.
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

/** In a pool that is not new, all limits in force would be lost. */
async function isNew(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (modeOf(await requireBtrfs(path)) !== 'none') return false;
  return (await output(['btrfs', 'subvolume', 'list', path], quick, signal)) === '';
}

const subvolumeInode = 256;

/**
 * A path that is not a subvolume is part of one, so that the limit would apply to the whole pool.
 */
async function requireSubvolume(path: string): Promise<void> {
  const { ino } = await lstat(path);
  if (ino === subvolumeInode && (await realpath(path)) === path) return;
  throw new Error(`${path} is no subvolume.`);
}
