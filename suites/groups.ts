import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * So few that both processors have work until the end, and so many that loading the same modules, and optimising them as
 * they run, takes little of the time of a group.
 */
export const filesOfGroup = 24;
const together = new URL('together.ts', import.meta.url);

/**
 * Writes a file for each group of test files, which runs them in one process. Half of the time of most files is the
 * loading of the same modules.
 *
 * @returns the paths of the groups, for `node --test`
 */
export function writeGroups(files: readonly string[], directory: string): string[] {
  return Array.from({ length: Math.ceil(files.length / filesOfGroup) }, (_, index) => {
    const path = join(directory, `group-${String(index + 1).padStart(2, '0')}.test.mjs`);
    const of = files.slice(index * filesOfGroup, (index + 1) * filesOfGroup);
    writeFileSync(
      path,
      `import { runTogether } from '${together}';\n\nawait runTogether(${JSON.stringify(of)});\n`,
    );
    return path;
  });
}

/** The test files of a group; undefined for a test file that is no group. */
export function filesOf(path: string): string[] | undefined {
  if (!/^group-\d+\.test\.mjs$/.test(basename(path))) return undefined;
  const [, list = '[]'] = /runTogether\((\[.*\])\)/.exec(readFileSync(path, 'utf8')) ?? [];
  return JSON.parse(list);
}

/** Whether a test is declared by what runs a group, not by a test file. */
export const isOfGroup = (file: string) => file === together.pathname;

/** The test file that a test of a group stands for; undefined for other tests. */
export function fileOfGroupedTest({
  name,
  file = '',
}: {
  name: string;
  file?: string | undefined;
}) {
  return isOfGroup(file) && name !== nameOfAll ? name : undefined;
}

/** The suite with all tests of a file. */
export const nameOfAll = '(all tests)';
