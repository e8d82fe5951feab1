import { statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const mode = 0o700;

/**
 * Creates a directory and its parents, each for its owner only. Existing ones are not changed. Throws the errors of
 * mkdir(2). The option `recursive` is not used, because with it Node.js never stops trying to create a directory in
 * /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeDirectory(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

/** Finds a path or a parent of it that exists but is not a directory; undefined if there is none. */
export function fileInPath(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : path;
  } catch (error) {
    const isAbove = ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
    return isAbove ? fileInPath(dirname(path)) : undefined;
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
