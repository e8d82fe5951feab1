import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from './mount.ts';

/**
 * The quota mode of a btrfs: `classic` (qgroups), `simple` (by the subvolume that wrote, since
 * Linux 6.7), or `none`.
 */
export type QuotaMode = 'simple' | 'classic' | 'none';

const counting = ({ uuid }: Mount) => `/sys/fs/btrfs/${uuid}/qgroups`;

/** The quota mode. Needs no privileges, like all functions of this file. */
export function modeOf(mount: Mount): QuotaMode {
  // Linux before 6.7 has only one mode, and does not name it.
  const mode = read(join(counting(mount), 'mode')) ?? read(join(counting(mount), 'enabled'));
  if (mode === 'squota') return 'simple';
  return mode === 'qgroup' || mode === '1' ? 'classic' : 'none';
}

/**
 * Whether the quotas are inconsistent: the kernel then enforces no limit until a rescan is done.
 */
export const isInconsistent = (mount: Mount) => read(join(counting(mount), 'inconsistent')) === '1';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    // These files exist only if quotas are enabled.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether this kernel supports simple quotas. */
export const hasSimpleQuotas = () => existsSync('/sys/fs/btrfs/features/simple_quota');
