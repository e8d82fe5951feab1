import type { IncusClient } from '../incus/client.ts';
import type { StoragePool } from '../incus/storage.ts';

// Disks are clones of a pool's own copy of their image, its image volume. Incus (6.0, EnsureImage)
// notes that volume before it unpacks the image, and takes what it has noted as whole: a daemon that
// is killed in between leaves half a system to every server that comes later. So a volume counts only
// once a create was seen to succeed on it, which its description then says. It goes with the volume.

const seenWhole = 'Unpacked whole, as seen by Berth';

export interface ImageVolume {
  incus: IncusClient;
  pool: string;
  /** Of a cluster; null without one. */
  member: string | null;
  fingerprint: string;
  signal: AbortSignal;
}

/** Whether disks can be made of it: it is known to be whole, or the pool unpacks each for itself. */
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
 * Removes it, unless it has become whole since somebody looked. Whoever does so must be the only one
 * that unpacks it.
 */
export async function discardPartialImage(image: ImageVolume): Promise<void> {
  const { incus, pool, member, signal } = image;
  const volume = await findVolume(image);
  if (!volume || volume.description === seenWhole) return;
  await incus.storage.deleteVolume(pool, volume, member ?? undefined, { signal });
}

/** After a create that succeeded on it. */
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
