import { execFileSync, spawnSync } from 'node:child_process';

/** Lines of a file, from the first to the last. */
export interface Lines {
  file: string;
  from: number;
  to: number;
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });

/**
 * The commit of a git reference, such as `v1.2.0`, or the last one before a time, such as `24 hours
 * ago`; the very first if there is none.
 */
export function commitOf(referenceOrTime: string): string {
  const commit = `${referenceOrTime}^{commit}`;
  const { status, stdout } = spawnSync('git', ['rev-parse', '--quiet', '--verify', commit], {
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim();
  const before = git('rev-list', '-1', `--before=${referenceOrTime}`, 'HEAD').trim();
  return before || (git('rev-list', '--max-parents=0', 'HEAD').trim().split('\n').at(-1) ?? 'HEAD');
}

/** The lines of these files that were added or changed since a commit. */
export function changedLines(since: string, files: string[]): Lines[] {
  if (files.length === 0) return [];
  return linesOfDiff(
    git('diff', '--unified=0', '--no-color', '--no-renames', since, '--', ...files),
  );
}

/**
 * Parses a diff without context, in which `@@ -a,b +c,d @@` means that `d` lines from `c` on are new.
 */
export function linesOfDiff(diff: string): Lines[] {
  let file = '';
  return diff.split('\n').flatMap((line): Lines[] => {
    if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start === undefined || count === '0') return [];
    return [{ file, from: Number(start), to: Number(start) + Number(count) - 1 }];
  });
}
