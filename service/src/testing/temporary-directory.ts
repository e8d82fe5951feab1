import { mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startReaper } from './reaper.ts';

let root: string | undefined;

/**
 * Creates a directory for the processes of a test. Its path is short enough for a unix socket in it. The caller removes
 * the directory. If this process ends before that, in any way, a reaper ends every process that has the directory in
 * its command line or environment, such as services, PostgreSQL and HAProxy, and removes it.
 *
 * @param name up to 12 letters and hyphens, for people who look at what is there
 */
export function temporaryDirectory(name: string): string {
  root ??= makeRoot();
  return mkdtempSync(join(root, `${name}-`));
}

/** What must be free, in the file system and of the memory, for a directory in memory. */
const plentyBytes = 3 * 1024 ** 3;

/**
 * Creates a directory like `temporaryDirectory`, but in memory if there is plenty of it: many small files are made and
 * removed there in a fraction of the time. It is for data that is not tested with a full disk.
 */
export function directoryInMemory(name: string): string {
  if (!hasPlentyOfMemory()) return temporaryDirectory(name);
  root ??= makeRoot();
  const ours = inMemory(basename(root));
  mkdirSync(ours, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(ours, `${name}-`));
}

/** The directory in memory that belongs to the temporary directory of a process. It has the same name. */
export const inMemory = (name: string) => join('/dev/shm', name);

function hasPlentyOfMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return Math.min(bavail * bsize, process.availableMemory()) >= plentyBytes;
  } catch {
    // Not every system has this file system.
    return false;
  }
}

function makeRoot(): string {
  const made = mkdtempSync(join(tmpdir(), 'berth-'));
  startReaper(new URL('temporary-directory-reaper.ts', import.meta.url), made);
  return made;
}
