import type { IncusClient } from '../incus/client.ts';
import type { StoragePool } from '../incus/storage.ts';

// Disks are clones of the pool's own copy of their image, its image volume. Incus (6.0,
// EnsureImage) records that volume before it unpacks the image, and treats a recorded one as
// complete: if the daemon is killed in between, all later servers get half a system. So a volume is
// only used after a create has succeeded on it, which its description then says. It is deleted with
// the volume.

const seenWhole = 'Unpacked whole, as seen by Berth';

export interface ImageVolume {
  incus: IncusClient;
  pool: string;
  /** The member of a cluster; null without a cluster. */
  member: string | null;
  fingerprint: string;
  signal: AbortSignal;
}

/**
 * Whether disks can be cloned from it: it is known to be complete, or the pool unpacks the image
 * for each disk.
 */
export async function isImageReady(image: ImageVolume): Promise<boolean> {
  const { incus, pool, signal } = image;
  const volume = await findVolume(image);
  if (volume) return volume.description === seenWhole;
  const found = await incus.storage.getPool(pool, { signal });
  return found !== null && !keepsImages(found);
}

/** The drivers that Incus calls without "optimized image storage" (documentation, "Storage drivers"). */
function keepsImages({ driver, config }: StoragePool): boolean {
  return driver !== 'dir' && !(driver === 'lvm' && config['lvm.use_thinpool'] === 'false');
}

/**
 * Deletes the volume, unless it was marked as complete meanwhile. Only one operation at a time may
 * unpack it.
 */
export async function discardPartialImage(image: ImageVolume): Promise<void> {
  const { incus, pool, member, signal } = image;
  const volume = await findVolume(image);
  if (!volume || volume.description === seenWhole) return;
  await incus.storage.deleteVolume(pool, volume, member ?? undefined, { signal });
}

/** Marks the volume as complete, after a create has succeeded on it. */
export async function markImageWhole(image: ImageVolume): Promise<void> {
  const { incus, pool, member, signal } = image;
  const volume = { ...idOf(image), description: seenWhole };
  await incus.storage.describeVolume(pool, volume, member ?? undefined, { signal });
}

const idOf = ({ fingerprint }: ImageVolume) => ({ type: 'image', name: fingerprint });

async function findVolume(image: ImageVolume) {
  const { incus, pool, member, signal } = image;
  return await incus.storage.getVolume(pool, idOf(image), member ?? undefined, { signal });
}
