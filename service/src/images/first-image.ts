import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { builtOperatingSystem } from '../operating-systems/catalogue-queries.ts';
import { ensureImage, type ImageDirectories } from './images.ts';
import { recordImage } from './queries.ts';

interface FirstImage {
  db: Db;
  incus: IncusClient;
  locationId: number;
  directories: ImageDirectories;
  say: (text: string) => void;
  signal: AbortSignal;
}

/** Builds the default operating system in advance, so that the first create need not wait. */
export async function ensureFirstImage({
  db,
  incus,
  locationId,
  directories,
  say,
  signal,
}: FirstImage): Promise<void> {
  const os = await builtOperatingSystem(db);
  if (!os) return;
  let shown = '';
  await ensureImage({
    incus,
    os,
    // It is built on this machine.
    imageServers: [],
    directories,
    signal,
    onProgress(_fraction, doing) {
      if (doing !== shown) say(`Image of ${os.name} ${os.version}: ${doing}`);
      shown = doing;
    },
  });
  await recordImage(db, { osId: os.id, locationId });
}
