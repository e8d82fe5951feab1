import type { StoragePool } from '../incus/storage.ts';
import { canAsRoot } from './as-root.ts';
import { enableSimple } from './btrfs.ts';
import { hasSimpleQuotas, modeOf } from './counting.ts';
import { btrfsAt } from './mount.ts';
import { isMadeBy, poolDirectory } from './place.ts';

interface Preparing {
  installationId: string;
  /** Where Incus keeps its data. */
  incusDir: string;
  say: (text: string) => void;
}

/**
 * Has the kernel count in the simple way in a pool that Berth has made, where it can, and where nothing is in
 * the pool yet: one that holds guests would lose all its limits.
 */
export async function prepareQuotas(
  pool: Pick<StoragePool, 'name' | 'driver' | 'config'>,
  { installationId, incusDir, say }: Preparing,
): Promise<void> {
  if (!isMadeBy(pool, installationId) || !canAsRoot() || !hasSimpleQuotas()) return;
  try {
    const mount = await btrfsAt(poolDirectory(incusDir, pool.name));
    if (!mount || modeOf(mount) !== 'none' || !(await enableSimple(mount))) return;
    const mode = modeOf(mount);
    if (mode !== 'simple') throw new Error(`The kernel says ${mode}.`);
    say(`Disk sizes in ${pool.name} are enforced with simple quotas of btrfs`);
  } catch (error) {
    // Incus begins to count in the classic way by itself, and Berth keeps watch of that.
    say(`Simple quotas of btrfs could not be turned on in ${pool.name}: ${String(error)}`);
  }
}
