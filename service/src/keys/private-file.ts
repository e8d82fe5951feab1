import { readFile, rename, writeFile } from 'node:fs/promises';

/** The line of a file that only its owner can read. Undefined if there is no such file. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a line to a file that only its owner can read (mode 0600). It is written to another file, which is then renamed,
 * so that a crash leaves no partial one.
 */
export async function writePrivateFile(path: string, line: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, `${line}\n`, { mode: 0o600, flush: true });
  await rename(draft, path);
}
