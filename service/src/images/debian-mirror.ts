import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const publicMirror = 'http://deb.debian.org/debian';
const publicSecurity = 'http://deb.debian.org/debian-security';

export interface DebianMirror {
  archive: string;
  security: string;
}

/** The Debian mirror that this machine's apt uses, or the public one on any other system. */
export async function machineMirror(signal: AbortSignal): Promise<DebianMirror> {
  const format = '$(ORIGIN)|$(LABEL)|$(REPO_URI)';
  const targets = ['indextargets', '--format', format, 'Created-By: Packages'];
  const { stdout } = await run('apt-get', targets, { signal });
  return mirrorOf(stdout);
}

/** Reads `origin|label|uri` lines. What only this machine can reach (file:, cdrom:) is left out. */
export function mirrorOf(targets: string): DebianMirror {
  const rows = targets.split('\n').map((line) => line.split('|'));
  const uri = (wanted: RegExp) =>
    rows.find(([origin, label = '', at = '']) => {
      return origin === 'Debian' && wanted.test(label) && /^https?:/.test(at);
    })?.[2];
  return {
    archive: trimmed(uri(/^Debian( Backports)?$/) ?? publicMirror),
    security: trimmed(uri(/^Debian-Security$/) ?? publicSecurity),
  };
}

/** The lines of a sources.list for a release with its updates. */
export function sourcesList(mirror: DebianMirror, release: string): string[] {
  return [
    `deb ${mirror.archive} ${release} main`,
    `deb ${mirror.archive} ${release}-updates main`,
    `deb ${mirror.security} ${release}-security main`,
  ];
}

/** Omits the suites that are not available, as on a partial mirror, except for the first one. */
export async function reachableSources(
  lines: string[],
  workDir: string,
  signal: AbortSignal,
): Promise<string[]> {
  const exists = (line: string, index: number) =>
    index === 0 || suiteExists(line, join(workDir, `InRelease.${index}`), signal);
  const there = await Promise.all(lines.map(exists));
  return lines.filter((_, index) => there[index]);
}

/** Uses apt's own downloader, which knows the proxies of the machine. */
async function suiteExists(line: string, file: string, signal: AbortSignal): Promise<boolean> {
  const [, uri, suite] = line.split(' ');
  const options = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10'];
  const download = ['download-file', `${uri}/dists/${suite}/InRelease`, file];
  try {
    await run('/usr/lib/apt/apt-helper', [...options, ...download], { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // A number is its exit status; without one it could not be run.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return false;
    throw error;
  }
}

function trimmed(uri: string): string {
  return uri.replace(/\/+$/, '');
}
