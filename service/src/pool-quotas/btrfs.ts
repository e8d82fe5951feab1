import { asRoot } from './as-root.ts';
import { begun } from './commands.ts';
import { type Group, parseGroups } from './groups.ts';
import type { Mount } from './mount.ts';

// What a btrfs is asked for by whoever may. See `commands.ts` for what is run.

export async function groupsOf({ path }: Mount): Promise<Group[]> {
  return parseGroups(await asRoot(path, { call: 'show groups' }));
}

/** @param volume below the mount */
export async function setLimit({ path }: Mount, volume: string, bytes: number): Promise<void> {
  await asRoot(path, { call: 'limit', volume, bytes });
}

export async function clearStale({ path }: Mount): Promise<void> {
  await asRoot(path, { call: 'clear stale' });
}

/** Counts all anew, which is done when it resolves. The kernel goes on where `signal` aborts. */
export async function rescan({ path }: Mount, signal: AbortSignal): Promise<void> {
  await asRoot(path, { call: 'rescan' }, signal);
}

/** Begins to count in the simple way; answers false where there is something in it already, and changes nothing then. */
export async function enableSimple({ path }: Mount): Promise<boolean> {
  return (await asRoot(path, { call: 'count simply' })) === begun;
}
