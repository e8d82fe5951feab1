/** A file or folder to put into a guest, owned by root, before its first start. */
export type GuestFile = { path: string; uid: 0; gid: 0; mode: number } & (
  | { type: 'directory' }
  | { type: 'file'; content: string | Buffer }
);

export function directory(path: string, mode: number): GuestFile {
  return { path, uid: 0, gid: 0, mode, type: 'directory' };
}

export function file(path: string, mode: number, content: string | Buffer): GuestFile {
  return { path, uid: 0, gid: 0, mode, type: 'file', content };
}
