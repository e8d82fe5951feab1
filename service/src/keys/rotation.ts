import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../../../setup/commands.mjs';
import type { Db } from '../db/connection.ts';
import { databaseTime, findReplacedKeys, findSealing } from '../db/queries.ts';
import { deleteOldIdempotencyKeys } from '../retention/idempotency-queries.ts';
import { keyFile, newKey, readKeyFile, writeKeyFile } from './key-file.ts';
import { createKeyring, fingerprintOf, type Key, keySha256 } from './keyring.ts';
import {
  announcements,
  beginRotation,
  endRotation,
  hasTransactionsFrom,
  lastRotationAt,
  macsUnderOthersUntil,
  resealAll,
  whileRotating,
} from './rotation-queries.ts';
import { announced, shortId } from './secret-key.ts';

/** Services check for new keys every 2 s. */
const patienceMs = 15_000;
const lookAgainMs = 200;
/** The time within which a service whose connection was lost connects again. */
const steadyForMs = 3000;

interface Rotation {
  db: Db;
  dataDir: string;
  /** Called after each part of the work, with a sentence about it. */
  say(text: string): void;
  patienceMs?: number;
  /** How long all connected services must have announced the new key. */
  steadyMs?: number;
  /** Whether a new key is made although an earlier rotation has not ended. */
  again?: boolean;
}

interface Rotated {
  /** `macs`: the old key is still needed for requests of the last day that only it can identify. */
  left: 'nothing' | 'macs';
  /** When none of those requests is left. */
  until?: string;
  unreadable: number;
  /** Whether a new key was made. Otherwise an earlier rotation was continued, which began at `begunAt`. */
  isNew: boolean;
  begunAt: string | undefined;
}

/**
 * Replaces the key in use while services run, and encrypts everything again. It may be interrupted
 * at any point: everything can be read then, and the next run continues. Returns what remains to be
 * done, and how many values no key can decrypt. Throws `SetupError` if a service does not know the
 * new key yet. First the file has both keys, and every service must know both; only then the
 * database says that the new one is in use. When nothing is encrypted with the old one any more, it
 * is removed from the file.
 */
export async function rotateKey(rotation: Rotation): Promise<Rotated> {
  const outcome = await whileRotating(rotation.db, () => rotateAlone(rotation));
  if (outcome) return outcome;
  throw new SetupError('Another rotation is in progress.', 'Wait until it has ended.');
}

async function rotateAlone(rotation: Rotation): Promise<Rotated> {
  const { db, dataDir, say } = rotation;
  const path = keyFile(dataDir);
  const isUnfinished = (await findSealing(db)).rotatedFrom !== null;
  const isNew = !isUnfinished || rotation.again === true;
  const begunAt = isNew ? undefined : await lastRotationAt(db);
  if (isNew) await begin(rotation, path, isUnfinished);
  const { keys, at } = await currentKey(db, path);
  const current = keys[at] as Key;
  await untilAll(rotation, `w=${shortId(current)}`);
  // These values are from services that wrote with the old key until then.
  const since = await databaseTime(db);
  await until(rotation, async () => !(await hasTransactionsFrom(db, since)), longTransaction);
  const keyring = createKeyring({ keys, current, sealing: (await findSealing(db)).sealing });
  const unreadable = await resealAll(db, keyring, say);
  if (unreadable > 0) say(`${unreadable} values can't be read with any key, and stay as they are.`);
  await deleteOldIdempotencyKeys(db);
  const rotated = { unreadable, isNew, begunAt };
  const oldKeyUntil = await macsUnderOthersUntil(db, current.bytes);
  if (oldKeyUntil !== undefined) return { left: 'macs', until: oldKeyUntil, ...rotated };
  await writeKeyFile(path, [current]);
  say('The old key was removed from the file.');
  await endRotation(db);
  say('The rotation has ended.');
  return { left: 'nothing', ...rotated };
}

/** Runs until the new key is in use. */
async function begin(rotation: Rotation, path: string, isUnfinished: boolean): Promise<void> {
  const { db, say } = rotation;
  const { keys, at } = await currentKey(db, path);
  const from = keys[at] as Key;
  // A lost key that was found again is added to the file to read what it encrypted, and must not be the next one.
  const lost = await findReplacedKeys(db);
  const isLost = ({ bytes }: Key) => lost.some((sha256) => sha256.equals(keySha256(bytes)));
  // Others before the current one are of an earlier rotation. They are still needed if it has not ended; otherwise it ran
  // with another file.
  const kept = keys.filter(
    (key, index) => index !== at && (isLost(key) || (isUnfinished && index < at)),
  );
  // After the current one is the next one if this was interrupted.
  const { bytes } = keys.slice(at + 1).find((key) => !isLost(key)) ?? newKey();
  const to = { bytes, isBound: true };
  await writeKeyFile(path, [...kept, from, to]);
  say(`${path} has the old key and the new one.`);
  await untilAll(rotation, shortId(to), rotation.steadyMs ?? steadyForMs);
  await beginRotation(db, keySha256(from.bytes), keySha256(to.bytes));
  say(`The new key is in use. Its fingerprint is ${fingerprintOf(keySha256(to.bytes))}.`);
}

async function currentKey(db: Db, path: string): Promise<{ keys: Key[]; at: number }> {
  const { sha256 } = await findSealing(db);
  const keys = await readKeyFile(path);
  const at = keys.findIndex(({ bytes }) => sha256 !== null && keySha256(bytes).equals(sha256));
  if (at >= 0) return { keys, at };
  throw new SetupError(
    `${path} does not have the key with which the secrets of this database are encrypted.`,
    'Set BERTH_DATA_DIR to the data directory of a service of this database, or start a service first.',
  );
}

/** Waits until every running service has announced this for a while. */
async function untilAll(rotation: Rotation, told: string, steadyMs = 0): Promise<void> {
  let missing: string[] = [];
  let since = performance.now();
  const isSo = async () => {
    missing = (await announcements(rotation.db)).filter((text) => !text.includes(told));
    if (missing.length > 0) since = performance.now();
    return missing.length === 0 && performance.now() - since >= steadyMs;
  };
  await until(rotation, isSo, () => {
    const isOld = missing.some((text) => !text.includes(announced));
    return new SetupError(
      `Not all running services use the keys in secret-key yet: ${missing.length} of them do not.`,
      isOld
        ? 'One service is of the previous release. Upgrade all services, then run this command again.'
        : 'Copy secret-key, mode 0600, into the data directory of each service, then run this command again.',
    );
  });
}

async function until(
  { patienceMs: patience = patienceMs }: Rotation,
  isSo: () => Promise<boolean>,
  refusal: () => SetupError,
): Promise<void> {
  const end = performance.now() + patience;
  while (!(await isSo())) {
    if (performance.now() > end) throw refusal();
    await sleep(lookAgainMs);
  }
}

const longTransaction = () =>
  new SetupError(
    'A transaction that began before the new key was in use has not ended.',
    'An export may be in progress. Run this command again when it has ended.',
  );
