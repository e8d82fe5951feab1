import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { SetupError } from '../../../setup/commands.mjs';
import type { Db } from '../db/connection.ts';
import { findReplacedKeys, findSealing, recordSecretKey, replaceSecretKey } from '../db/queries.ts';
import { createOutage } from '../lib/outage.ts';
import { pause } from '../lib/pause.ts';
import { keyFile, loadKeys, readKeyFile } from './key-file.ts';
import {
  createKeyring,
  fingerprintOf,
  type Key,
  type Keyring,
  keyId,
  keySha256,
  lackingIn,
} from './keyring.ts';

const lookAgainMs = 2000;

interface Installation {
  dataDir: string;
  isOnlyService: boolean;
}

export interface Agreed {
  outcome: 'known' | 'replaced' | 'returned';
  keyring: Keyring;
  /** SHA-256 of the previous key in the database. */
  noted: Buffer;
  /** The fingerprints of keys that were replaced before that one, and are not in the file. */
  earlier: string[];
}

/**
 * Ensures that all services of one database encrypt with the same key: the database identifies it, and the file must
 * have it. If there is only this service, a new key replaces a lost one. The outcome says so, and also when the lost
 * key was restored. Several services must share their key.
 */
export async function agreeOnSecretKey(
  db: Db,
  keys: Key[],
  { dataDir, isOnlyService }: Installation,
): Promise<Agreed> {
  const [first] = keys;
  if (!first) throw new Error('A file of keys has one at least.');
  const noted = await recordSecretKey(db, keySha256(first.bytes));
  const { sealing } = await findSealing(db);
  const replaced = await findReplacedKeys(db);
  const agreed = (outcome: Agreed['outcome'], current: Key): Agreed => {
    const keyring = createKeyring({ keys, current, sealing });
    return { outcome, keyring, noted, earlier: lackingIn(keyring, replaced) };
  };
  const current = keys.find(({ bytes }) => keySha256(bytes).equals(noted));
  if (current) return agreed('known', current);
  const found = keySha256(first.bytes);
  if (isOnlyService) {
    const isBack = await replaceSecretKey(db, found);
    return agreed(isBack ? 'returned' : 'replaced', first);
  }
  throw new SetupError(
    `${keyFile(dataDir)} is not the key with which the secrets of this database are encrypted: its fingerprint is ${fingerprintOf(found)}, not ${fingerprintOf(noted)}.`,
    'Copy secret-key from a backup, from the data directory of the service that was started first, or from the service whose key was rotated last.',
  );
}

/**
 * The key of an installation for a tool. It neither creates nor replaces one: a start of the
 * service reports a lost key.
 */
export async function joinSecretKey(db: Db, dataDir: string): Promise<Keyring> {
  const path = keyFile(dataDir);
  if (!existsSync(path)) {
    throw new SetupError(
      `${path} does not exist.`,
      'Set BERTH_DATA_DIR to the data directory of a service of this database, or put a copy of its secret-key there.',
    );
  }
  const installation = { dataDir, isOnlyService: false };
  return (await agreeOnSecretKey(db, await loadKeys(dataDir), installation)).keyring;
}

interface Followed {
  keyring: Keyring;
  db: Db;
  dataDir: string;
  log: Logger;
}

/** Loads changed keys from the file, and the key in use from the database, until the signal aborts. */
export async function followKeys(followed: Followed, signal: AbortSignal): Promise<void> {
  const outage = createOutage(followed.log, {
    failed: 'The secret key in the file could not be checked for changes.',
    works: 'The secret key in the file can be checked for changes again.',
  });
  while (!signal.aborted) {
    await pause(lookAgainMs, signal);
    if (signal.aborted) return;
    try {
      await lookAtKeys(followed);
      outage.worked();
    } catch (error) {
      outage.failed(error);
    }
  }
}

export async function lookAtKeys({ keyring, db, dataDir }: Omit<Followed, 'log'>): Promise<void> {
  const { sha256, sealing } = await findSealing(db);
  const keys = await readKeyFile(keyFile(dataDir));
  const current = keys.find(({ bytes }) => sha256 !== null && keySha256(bytes).equals(sha256));
  if (!current) throw new Error('The file secret-key lacks the key that is in use.');
  keyring.use({ keys, current, sealing });
}

/**
 * The name of a key in announcements: a part of its id that distinguishes a few keys, and whether the service treats it
 * as bound.
 */
export const shortId = ({ bytes, isBound }: Key) =>
  keyId(bytes).toString('hex').slice(0, 8) + (isBound ? '+' : '');

/** The prefix of an announcement. Releases that do not know bound keys do not have it. */
export const announced = 'keys=';

/** Announces the keys that a service knows, and the one that it writes with. See `untilAll` in rotation.ts. */
export function announcement({ state: { keys, current } }: Keyring): string {
  // PostgreSQL truncates it to 63 bytes.
  const known = keys.slice(-3).map(shortId).join(',');
  return `${announced}${known} w=${shortId(current)}`;
}

/** Whether unbound values can be read if the database allows it, which is the case until a rotation. */
export const mayBeUnbound = ({ state: { keys } }: Keyring) => keys.some(({ isBound }) => !isBound);
