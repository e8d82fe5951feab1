import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { builtOperatingSystem } from './catalogue-queries.ts';
import { ensureImage } from './images.ts';

interface FirstImage {
  db: Db;
  incus: IncusClient;
  workDir: string;
  say: (text: string) => void;
  signal: AbortSignal;
}

/** Has the operating system that is built here ready, so that the first create need not wait. */
export async function ensureFirstImage({
  db,
  incus,
  workDir,
  say,
  signal,
}: FirstImage): Promise<void> {
  const os = await builtOperatingSystem(db);
  if (!os) return;
  let shown = '';
  await ensureImage({
    incus,
    os,
    // It is built here.
    imageServers: [],
    workDir,
    signal,
    onProgress(_fraction, doing) {
      if (doing !== shown) say(`Image of ${os.name} ${os.version}: ${doing}`);
      shown = doing;
    },
  });
}
