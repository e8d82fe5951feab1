import { readEntry, type Tree } from './tree.ts';

const path = '/etc/shadow';

/**
 * Sets the hashes of users, as `chpasswd -e` does with lines of `user:hash`. Returns false if the file of hashes lacks one
 * of them.
 */
export function setHashes(files: Tree, text: string): boolean {
  const there = readEntry(files, path);
  if (!there) return false;
  const lines = there.content.toString().split('\n');
  for (const pair of text.split('\n').filter(Boolean)) {
    const [user = '', hash = ''] = pair.split(/:(.*)/s);
    const at = lines.findIndex((line) => line.startsWith(`${user}:`));
    if (at < 0) return false;
    const [name = '', , ...rest] = (lines[at] ?? '').split(':');
    lines[at] = [name, hash, ...rest].join(':');
  }
  files.set(path, { ...there, content: Buffer.from(lines.join('\n')) });
  return true;
}
