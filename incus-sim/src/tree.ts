import { posix } from 'node:path';

export interface Entry {
  /** A FIFO looks like an empty file, and so does a device. */
  type: 'file' | 'directory' | 'symlink' | 'fifo';
  uid: number;
  gid: number;
  mode: number;
  content: Buffer;
}

/** Files by absolute path; null for one of the image that was deleted. */
export type Tree = Map<string, Entry | null>;

const directory = (mode = 0o755): Entry => ({
  type: 'directory',
  uid: 0,
  gid: 0,
  mode,
  content: Buffer.alloc(0),
});

const folders =
  '/ /etc /etc/cloud /etc/cloud/cloud.cfg.d /etc/netplan /etc/ssh /etc/systemd /etc/systemd/system /home /mnt /opt ' +
  '/srv /usr /usr/bin /usr/sbin /usr/local /usr/local/bin /var /var/lib /var/log';

/** The relevant files of every image. */
const image: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ...folders.split(' ').map((path): [string, Entry] => [path, directory()]),
  ['/root', directory(0o700)],
  ['/tmp', directory(0o1777)],
  ['/etc/hostname', { ...directory(), type: 'file', content: Buffer.from('localhost\n') }],
  [
    '/etc/shadow',
    {
      ...directory(0o640),
      ...{ type: 'file', gid: 42 },
      content: Buffer.from('root:*:19700:0:99999:7:::\ndaemon:*:19700:0:99999:7:::\n'),
    },
  ],
  [
    '/etc/mtab',
    { ...directory(0o777), type: 'symlink', content: Buffer.from('/proc/self/mounts') },
  ],
]);

export const normal = (path: string): string => posix.resolve('/', path);

export function readEntry(tree: Tree, path: string): Entry | undefined {
  const own = tree.get(path);
  return own === undefined ? image.get(path) : (own ?? undefined);
}

export function putFile(tree: Tree, path: string, content: string | Buffer, mode = 0o600): void {
  tree.set(path, { ...directory(mode), type: 'file', content: Buffer.from(content) });
}

/** Does not change one that exists. */
export function putDirectory(tree: Tree, path: string, mode: number): void {
  if (!readEntry(tree, path)) tree.set(path, directory(mode));
}

/** Returns false if it did not exist. */
export function removeEntry(tree: Tree, path: string): boolean {
  if (!readEntry(tree, path)) return false;
  if (image.has(path)) tree.set(path, null);
  else tree.delete(path);
  return true;
}

/** The names of the entries of a directory. */
export function childrenOf(tree: Tree, path: string): string[] {
  const prefix = path === '/' ? '/' : `${path}/`;
  const paths = new Set([...tree.keys(), ...image.keys()]);
  return [...paths]
    .filter((other) => other !== path && other.startsWith(prefix) && readEntry(tree, other))
    .map((other) => other.slice(prefix.length))
    .filter((name) => !name.includes('/'))
    .sort();
}
