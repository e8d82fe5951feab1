import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory with its parents, each only for its owner, and one after the other: with `recursive`, Node.js
 * tries forever to create one in /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    await makeDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}
