import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../setup/commands.mjs';
import type { Db } from './db/connection.ts';
import { noteSecretKey, replaceSecretKey } from './db/queries.ts';

const keyBytes = 32;

/** The installation's key for secrets at rest, made at the first start: `<data>/secret-key`, 0600. */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path)) await makeKey(path);
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex');
  if (key.length === keyBytes) return key;
  throw new SetupError(
    `${path} must hold ${keyBytes} bytes in hexadecimal; it holds ${key.length}.`,
    'Put the right one back. Without it, servers being created lose their passwords; to go on so, remove the file.',
  );
}

/**
 * Makes sure that all services of one database keep secrets with one key. Where there is only this
 * one, a new key takes the place of one that was lost, which is answered; several must share theirs.
 */
export async function agreeOnSecretKey(
  db: Db,
  key: Buffer,
  { dataDir, isOnlyService }: { dataDir: string; isOnlyService: boolean },
): Promise<'known' | 'replaced'> {
  const sha256 = createHash('sha256').update(key).digest();
  if ((await noteSecretKey(db, sha256)).equals(sha256)) return 'known';
  if (isOnlyService) {
    await replaceSecretKey(db, sha256);
    return 'replaced';
  }
  throw new SetupError(
    `${join(dataDir, 'secret-key')} is not the key that the secrets of this database are kept with.`,
    'Copy secret-key from the data directory of the service that was started first.',
  );
}

/** For a tool beside the services of an installation: theirs, which it does not make. */
export async function joinSecretKey(
  db: Db,
  { dataDir, isOnlyService }: { dataDir: string; isOnlyService: boolean },
): Promise<Buffer> {
  const path = join(dataDir, 'secret-key');
  if (!isOnlyService && !existsSync(path)) {
    throw new SetupError(
      `There is no ${path}.`,
      'Set BERTH_DATA_DIR to the data directory of a service of this database.',
    );
  }
  const key = await loadSecretKey(dataDir);
  await agreeOnSecretKey(db, key, { dataDir, isOnlyService });
  return key;
}

/** Whole or not at all, whatever happens meanwhile; and never in place of one that is there. */
async function makeKey(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const text = `${randomBytes(keyBytes).toString('hex')}\n`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft);
  }
}
