import { statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const mode = 0o700;

/**
 * Makes a directory with its parents, each for its owner alone; one that is there stays as it is. Throws what mkdir(2)
 * says. It takes one after the other: with `recursive`, Node.js tries for ever to make one in /proc.
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

/** Of a path and its parents, the one that is there and no directory; undefined where there is none. */
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
