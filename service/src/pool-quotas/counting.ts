import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from './mount.ts';

/** How a btrfs counts: `classic` (qgroups), `simple` (by who wrote it, Linux 6.7), or not at all. */
export type QuotaMode = 'simple' | 'classic' | 'none';

const counting = ({ uuid }: Mount) => `/sys/fs/btrfs/${uuid}/qgroups`;

/** Needs no rights, as all in this file. */
export function modeOf(mount: Mount): QuotaMode {
  // Linux before 6.7 has one mode, and does not name it.
  const mode = read(join(counting(mount), 'mode')) ?? read(join(counting(mount), 'enabled'));
  if (mode === 'squota') return 'simple';
  return mode === 'qgroup' || mode === '1' ? 'classic' : 'none';
}

/** Whether the kernel has lost count: it then holds nobody to a limit until all is counted anew. */
export const isInconsistent = (mount: Mount) => read(join(counting(mount), 'inconsistent')) === '1';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    // There are none of these without quotas.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether this kernel can count in the simple way. */
export const hasSimpleQuotas = () => existsSync('/sys/fs/btrfs/features/simple_quota');
