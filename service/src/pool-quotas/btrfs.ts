import { asRoot } from './as-root.ts';
import { begun } from './commands.ts';
import { type Group, parseGroups } from './groups.ts';
import type { Mount } from './mount.ts';

// Calls on a mounted btrfs. `commands.ts` has the commands that are run.

export async function groupsOf({ path }: Mount): Promise<Group[]> {
  return parseGroups(await asRoot(path, { call: 'show groups' }));
}

/**
 * @param volume the path relative to the mount
 */
export async function setLimit({ path }: Mount, volume: string, bytes: number): Promise<void> {
  await asRoot(path, { call: 'limit', volume, bytes });
}

export async function clearStale({ path }: Mount): Promise<void> {
  await asRoot(path, { call: 'clear stale' });
}

/** Rescans the quotas. Resolves when that is done. The kernel goes on even if `signal` aborts. */
export async function rescan({ path }: Mount, signal: AbortSignal): Promise<void> {
  await asRoot(path, { call: 'rescan' }, signal);
}

/** Enables simple quotas. Returns false, and changes nothing, if the file system is not empty. */
export async function enableSimple({ path }: Mount): Promise<boolean> {
  return (await asRoot(path, { call: 'count simply' })) === begun;
}
