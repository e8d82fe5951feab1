import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReaper } from './reaper.ts';

let root: string | undefined;

/**
 * Makes a directory for what a test starts, and answers its path, which is short enough for a unix socket below it. Who
 * makes it removes it. If this process ends before that, however it ends, a reaper removes it, after it has ended every
 * process that names it in its command line or environment, such as services, PostgreSQL and HAProxy.
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
