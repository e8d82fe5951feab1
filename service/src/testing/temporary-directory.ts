import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

function makeRoot(): string {
  const made = mkdtempSync(join(tmpdir(), 'berth-'));
  startReaper(new URL('temporary-directory-reaper.ts', import.meta.url), made);
  return made;
}
