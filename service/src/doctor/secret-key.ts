import { SetupError } from '../../../setup/commands.mjs';
import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { openExport } from '../db/export/export-file.ts';
import type { DatabasePlace } from '../db/open.ts';
import { findReplacedKeys, findSealing } from '../db/queries.ts';
import { keyFile, readKeyFile } from '../keys/key-file.ts';
import {
  createKeyring,
  fingerprintOf,
  type Key,
  type Keyring,
  keySha256,
  lackingIn,
} from '../keys/keyring.ts';
import { findUnreadable } from '../keys/rotation-queries.ts';
import { wayToReadable } from '../keys/unreadable.ts';
import { counted } from '../lib/counted.ts';
import { readFrom } from './database.ts';
import { type Finding, lastExport, type Machine } from './doctor.ts';

const what = 'secret key';

interface Asked extends DatabasePlace {
  /** The folder of daily exports; undefined if there are none. */
  exports: string | undefined;
}

/**
 * Checks that the secret key exists and is the key of the database. While the database is stopped, the key is compared
 * with that of the last export.
 */
export async function keyFindings(
  machine: Pick<Machine, 'list'>,
  { exports, ...place }: Asked,
): Promise<Finding[]> {
  const database = place.databaseUrl ?? (await findEmbeddedPostgres(place));
  if (database === 'none') return [];
  const recorded = database === 'stopped' ? undefined : await recordedIn(database);
  // No service has used the database of DATABASE_URL yet.
  if (database !== 'stopped' && recorded === undefined) return [];
  const path = keyFile(place.dataDir);
  const keys = await readKeys(path);
  if ('says' in keys) return [{ what, ...keys }];
  const has = keys.map(({ bytes }) => fingerprintOf(keySha256(bytes)));
  if (recorded !== undefined && database !== 'stopped') {
    const lost = has.includes(recorded) ? await lostKeys(database, keys) : undefined;
    return [lost ?? compared(path, has, recorded)];
  }
  const last = exports === undefined ? undefined : lastExport(machine, exports);
  return [await comparedWithExport(path, has, { last, exports })];
}

type Problem = Omit<Finding, 'what'>;

async function readKeys(path: string): Promise<Key[] | Problem> {
  try {
    return await readKeyFile(path);
  } catch (error) {
    if (error instanceof SetupError) {
      return { state: 'problem', says: error.message, wayOut: error.wayOut };
    }
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') {
      const says = `there is no ${path}, with which secrets in the database are encrypted`;
      const wayOut =
        'Put the copy of it back before Berth is started: a start makes another one, which can not read them.';
      return { state: 'problem', says, wayOut };
    }
    if (code !== 'EACCES') throw error;
    const wayOut = 'Run this as root, or as the user of the service.';
    return { state: 'note', says: `${path} can't be read by this user`, wayOut };
  }
}

function compared(path: string, has: string[], recorded: string): Finding {
  if (has.includes(recorded)) {
    return { what, state: 'ok', says: `that of the database (fingerprint ${recorded})` };
  }
  const says = `${path} is not the key of the database: its fingerprint is ${has.join(', ')}, not ${recorded}`;
  const wayOut = 'Put the copy of the right one in its place while Berth is stopped.';
  return { what, state: 'problem', says, wayOut };
}

/** Compares the key with that of the last export, which may be older than a change of the key. */
async function comparedWithExport(
  path: string,
  has: string[],
  { last, exports }: { last: string | undefined; exports: string | undefined },
): Promise<Finding> {
  const key = last === undefined ? undefined : await keyOf(last);
  if (key instanceof SetupError) {
    return { what, state: 'note', says: key.message, wayOut: key.wayOut };
  }
  if (!key) {
    const where = exports === undefined ? '' : ` in ${exports}`;
    const says =
      `there (fingerprint ${has.join(', ')}), but it could not be compared: ` +
      `the database is not running, and no export${where} names its key`;
    return { what, state: 'note', says };
  }
  if (has.includes(key)) {
    return { what, state: 'ok', says: `that of the last export (fingerprint ${key})` };
  }
  const says = `${path} is not the key of the last export, ${last}: its fingerprint is ${has.join(', ')}, not ${key}`;
  const wayOut =
    'Unless it was changed since, put the copy of the right one in its place before Berth is started.';
  return { what, state: 'problem', says, wayOut };
}

/**
 * Reads the fingerprint of the key from an export; null or undefined if it has none. Returns the error if it can't be
 * read.
 */
async function keyOf(path: string): Promise<string | null | undefined | SetupError> {
  try {
    return (await openExport(path)).header.key;
  } catch (error) {
    if (error instanceof SetupError) return error;
    throw error;
  }
}

/**
 * Reports values that are encrypted with a key that the file does not have, or that such a key was replaced; undefined
 * if neither is so.
 */
async function lostKeys(connectionString: string, keys: Key[]): Promise<Finding | undefined> {
  return await readFrom(connectionString, async (db) => {
    const { sha256, sealing } = await findSealing(db);
    const current = keys.find(({ bytes }) => sha256?.equals(keySha256(bytes)));
    // The key was replaced in the meantime.
    if (!current) return undefined;
    const keyring = createKeyring({ keys, current, sealing });
    const { count, missingKeys } = await findUnreadable(db, keyring);
    if (count === 0) return replacedFinding(keyring, await findReplacedKeys(db));
    const which =
      missingKeys.length > 0 ? `; fingerprints of the missing keys: ${missingKeys.join(', ')}` : '';
    const says = `${counted(count, 'encrypted value')} cannot be read with any key in secret-key${which}`;
    return { what, state: 'problem', says, wayOut: wayToReadable };
  });
}

/** Reports that another key was in use before; undefined if there was none, or if the file has it, too. */
function replacedFinding(keyring: Keyring, replaced: Buffer[]): Finding | undefined {
  const lacking = lackingIn(keyring, replaced);
  if (lacking.length === 0) return undefined;
  const own = fingerprintOf(keySha256(keyring.state.current.bytes));
  const which = lacking.length === 1 ? 'the key' : 'the keys';
  const says =
    `that of the database (fingerprint ${own}), but a start has replaced ${which} used before ` +
    `(fingerprint ${lacking.join(', ')}); no value is left that needs a missing key`;
  const wayOut = `An export of before still needs it. ${wayToReadable}`;
  return { what, state: 'note', says, wayOut };
}

/** Reads the recorded fingerprint of the key from a database; undefined if it has none. */
async function recordedIn(connectionString: string): Promise<string | undefined> {
  return await readFrom(connectionString, async (db) => {
    const { sha256 } = await findSealing(db);
    return sha256 ? fingerprintOf(sha256) : undefined;
  });
}
