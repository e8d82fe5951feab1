import { globSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { basename } from 'node:path';

/** A btrfs that is mounted on this machine. */
export interface Mount {
  path: string;
  uuid: string;
}

/**
 * The btrfs that is mounted on a directory; undefined if there is another file system, or none.
 * Needs no privileges.
 */
export async function btrfsAt(directory: string): Promise<Mount | undefined> {
  const path = await realpath(directory).catch(unlessMissing);
  if (path === undefined) return undefined;
  const device = deviceOf(await readFile('/proc/self/mountinfo', 'utf8'), path);
  if (device === undefined) return undefined;
  const name = basename((await realpath(device).catch(unlessMissing)) ?? device);
  const [found] = globSync(`/sys/fs/btrfs/*/devices/${name}`);
  const uuid = found?.split('/')[4];
  return uuid === undefined ? undefined : { path, uuid };
}

function unlessMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT' && code !== 'EACCES') throw error;
}

/**
 * The device of the topmost btrfs that is mounted on a path.
 * @param mountinfo as in proc_pid_mountinfo(5)
 */
export function deviceOf(mountinfo: string, path: string): string | undefined {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  const there = mounts.findLast((fields) => unescaped(fields[4] ?? '') === path);
  if (!there) return undefined;
  const [type, device] = there.slice(there.indexOf('-') + 1);
  return type === 'btrfs' ? device : undefined;
}

const unescaped = (field: string) =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
