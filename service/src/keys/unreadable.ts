import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { pause } from '../lib/pause.ts';
import type { Keyring } from './keyring.ts';
import { countUnreadable } from './rotation-queries.ts';

const lookAgainMs = 60_000;
const tellAgainMs = 3_600_000;

interface Watched {
  db: Db;
  keyring: Keyring;
  log: Logger;
}

export interface UnreadableSecrets {
  /** The last known number. */
  count(): number;
  ended: Promise<void>;
}

/**
 * Counts each minute what no key in secret-key can read, until the signal aborts: a key was lost, or another one is in its
 * place. The log tells of it when it is seen first, and then once an hour.
 */
export async function watchUnreadable(
  watched: Watched,
  signal: AbortSignal,
): Promise<UnreadableSecrets> {
  const { db, keyring, log } = watched;
  let count = 0;
  let told: number | undefined;
  async function look(): Promise<void> {
    count = await countUnreadable(db, keyring);
    if (count === 0) told = undefined;
    else if (told === undefined || performance.now() - told > tellAgainMs) {
      log.warn({ count }, 'Some encrypted values cannot be read with any key in secret-key.');
      told = performance.now();
    }
  }
  await look();
  const goOn = async () => {
    for (;;) {
      await pause(lookAgainMs, signal);
      if (signal.aborted) return;
      await look().catch((error: unknown) =>
        log.warn({ err: error }, 'The check of encrypted values failed.'),
      );
    }
  };
  return { count: () => count, ended: goOn() };
}
