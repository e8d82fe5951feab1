import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const shipped = new URL('../deploy/haproxy.cfg', import.meta.url);

/**
 * Writes the configuration of `deploy/` to a directory, with the first text of each pair in
 * `changes` replaced by the second. Returns its path. Throws if a text is not found.
 */
export function configureHaproxy(directory: string, changes: [string, string][]): string {
  const config = changes.reduce(
    (before, [from, to]) => {
      if (!before.includes(from)) throw new Error(`haproxy.cfg has no ${from}`);
      return before.replace(from, to);
    },
    readFileSync(shipped, 'utf8'),
  );
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, config);
  return file;
}
