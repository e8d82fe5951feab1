import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { inTurn } from '../lib/in-turn.ts';
import { ensureImage, type ImageDirectories } from './images.ts';
import { imageIsReady, nextRequestedImage, setImage } from './queries.ts';

const reportMilliseconds = 500;

export interface Importing {
  db: Db;
  client: IncusClient;
  locationId: number;
  directories: ImageDirectories;
  imageServers: readonly string[];
  log: Logger;
  signal: AbortSignal;
}

/** Imports every requested image of a location, one after the other. It can be repeated. */
export async function importWantedImages(importing: Importing): Promise<void> {
  const { db, locationId, signal } = importing;
  while (!signal.aborted) {
    const wanted = await nextRequestedImage(db, locationId);
    if (!wanted) return;
    await importImage(importing, wanted);
  }
}

type Wanted = NonNullable<Awaited<ReturnType<typeof nextRequestedImage>>>;

async function importImage(
  { db, client, locationId, directories, imageServers, log, signal }: Importing,
  os: Wanted,
): Promise<void> {
  const image = { osId: os.osId, locationId };
  const enter = (state: Parameters<typeof setImage>[2]) => setImage(db, image, state);
  const reports = inTurn();
  const report = (progress: { progress?: number; message: string }) =>
    reports.add(
      () => enter({ status: 'importing', ...progress }),
      (error) =>
        log.warn({ err: error, os: os.slug }, 'The progress of an image could not be written.'),
    );
  let reported = 0;
  report({ message: 'The image is being prepared.' });
  const onProgress = (fraction: number, message: string) => {
    if (Date.now() - reported < reportMilliseconds) return;
    reported = Date.now();
    report({ progress: Math.floor(fraction * 100), message });
  };
  try {
    await ensureImage({ incus: client, os, imageServers, directories, onProgress, signal });
    await reports.idle();
    await enter(imageIsReady);
  } catch (error) {
    // It continues when the service runs again.
    if (signal.aborted) return;
    await reports.idle();
    log.warn({ err: error, os: os.slug }, 'An image could not be prepared.');
    const reason = error instanceof EngineError ? error.publicMessage : 'The log says why.';
    await enter({ status: 'failed', message: reason });
  }
}
