import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../setup/commands.mjs';

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

/** Whole or not at all, whatever happens meanwhile; and never in place of one that is there. */
async function makeKey(path: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
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
