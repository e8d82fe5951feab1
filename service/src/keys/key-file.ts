import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, link, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import type { Key } from './keyring.ts';

const keyBytes = 32;
/** The mark after a bound key. */
const bound = 'bound';

export const newKey = (): Key => ({ bytes: randomBytes(keyBytes), isBound: true });

/**
 * `<data>/secret-key`, mode 0600: one key per line in hexadecimal, followed by ` bound` if it is bound. The database
 * says which key is in use.
 */
export const keyFile = (dataDir: string) => join(dataDir, 'secret-key');

/** Loads the keys of the installation. The first start creates one. */
export async function loadKeys(dataDir: string): Promise<Key[]> {
  const path = keyFile(dataDir);
  if (!existsSync(path)) await makeFile(path);
  return await readKeyFile(path);
}

export async function readKeyFile(path: string): Promise<Key[]> {
  const lines = (await readFile(path, 'utf8')).trim().split(/\s*\n\s*/);
  return lines.map((line) => {
    const [hex = '', mark, ...more] = line.split(/\s+/);
    const bytes = Buffer.from(hex, 'hex');
    const isBound = mark === bound;
    if (mark !== undefined && !(isBound && more.length === 0)) {
      throw new SetupError(
        `${path} must have one key in each line, followed by nothing but the word "${bound}".`,
        'Restore the correct file.',
      );
    }
    if (bytes.length === keyBytes && hex.length === 2 * keyBytes) return { bytes, isBound };
    throw new SetupError(
      `${path} must have ${keyBytes} bytes in hexadecimal in each line, but one has ${bytes.length}.`,
      'Restore the correct file. To continue without it, remove the file. Servers that are being created then lose their passwords.',
    );
  });
}

/** Replaces the file atomically, even if the power fails. */
export async function writeKeyFile(path: string, keys: readonly Key[]): Promise<void> {
  const draft = await writeDraft(path, keys);
  try {
    // Root may do this for a service that runs as another user.
    if (process.getuid?.() === 0 && existsSync(path)) {
      const { uid, gid } = await stat(path);
      await chown(draft, uid, gid);
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const directory = await open(dirname(path));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Creates the file, and never replaces an existing one. */
async function makeFile(path: string): Promise<void> {
  const draft = await writeDraft(path, [newKey()]);
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft);
  }
}

async function writeDraft(path: string, keys: readonly Key[]): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  const text = keys.map((key) => `${lineOf(key)}\n`).join('');
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
  } catch (error) {
    await rm(draft, { force: true });
    // Errors of writes have no path.
    throw error instanceof Error ? Object.assign(error, { path: draft }) : error;
  }
  return draft;
}

const lineOf = ({ bytes, isBound }: Key) => bytes.toString('hex') + (isBound ? ` ${bound}` : '');
