import type { IncusClient } from '../incus/client.ts';
import type { StoragePool } from '../incus/storage.ts';
import type { ServerForOperation } from './operation-queries.ts';

// Disks are clones of a pool's own copy of their image, its image volume. Incus (6.0, EnsureImage)
// notes that volume before it unpacks the image, and takes what it has noted as whole: a daemon that
// is killed in between leaves half a system to every server that comes later. So a volume counts only
// once a create was seen to succeed on it, which its description then says. It goes with the volume.

const seenWhole = 'Unpacked whole, as seen by Berth';

type ImageVolume = {
  incus: IncusClient;
  server: Pick<ServerForOperation, 'storagePool' | 'member'>;
  fingerprint: string;
  signal: AbortSignal;
};

const idOf = (fingerprint: string) => ({ type: 'image', name: fingerprint });
const targetOf = ({ server }: ImageVolume) => server.member ?? undefined;

/** Whether disks can be made of it: it is known to be whole, or the pool unpacks each for itself. */
export async function isImageReady(image: ImageVolume): Promise<boolean> {
  const { incus, server, fingerprint, signal } = image;
  const { storagePool } = server;
  const { storage } = incus;
  const options = { signal };
  const volume = await storage.getVolume(storagePool, idOf(fingerprint), targetOf(image), options);
  if (volume) return volume.description === seenWhole;
  const pool = await storage.getPool(storagePool, options);
  return pool !== null && !keepsImages(pool);
}

/** The drivers that Incus calls without "optimized image storage" (documentation, "Storage drivers"). */
function keepsImages({ driver, config }: StoragePool): boolean {
  return driver !== 'dir' && !(driver === 'lvm' && config['lvm.use_thinpool'] === 'false');
}

/** Removes what there may be of it. Whoever does so must be the only one that unpacks it. */
export async function discardImageVolume(image: ImageVolume): Promise<void> {
  const { incus, server, fingerprint, signal } = image;
  const { storage } = incus;
  const options = { signal };
  const id = idOf(fingerprint);
  const target = targetOf(image);
  if (!(await storage.getVolume(server.storagePool, id, target, options))) return;
  await storage.deleteVolume(server.storagePool, id, target, options);
}

/** After a create that succeeded on it. */
export async function markImageWhole(image: ImageVolume): Promise<void> {
  const { incus, server, fingerprint, signal } = image;
  const volume = { ...idOf(fingerprint), description: seenWhole };
  await incus.storage.describeVolume(server.storagePool, volume, targetOf(image), { signal });
}
