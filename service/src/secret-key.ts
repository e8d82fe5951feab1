import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const keyBytes = 32;

/** The installation's key for secrets at rest, made at the first start: `<data>/secret-key`, 0600. */
export async function loadSecretKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'secret-key');
  try {
    await writeFile(path, randomBytes(keyBytes).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex');
  if (key.length === keyBytes) return key;
  throw new Error(`${path} must hold ${keyBytes} bytes in hexadecimal; it holds ${key.length}.`);
}
