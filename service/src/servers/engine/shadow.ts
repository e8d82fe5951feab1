import { randomBytes } from 'node:crypto';
import {
  hasRoot,
  isBeginning,
  isCutOff,
  longestShadowBytes,
  shadowBackupPath,
  shadowPath,
  withRootPassword,
} from '../../guests/shadow.ts';
import type { FileOwnership, PulledFile } from '../../incus/files.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import type { ServerStepContext } from '../define-operation.ts';

// The file of hashes on the disk of a stopped container. Incus can't rename files, and empties a file before it writes
// it. So the previous content is copied first, and an interrupted write is repeated or undone from the copy.

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'operation' | 'signal'>;

const roomPath = '/etc/.berth-room';
const nothing = Buffer.alloc(0);

/**
 * Copies the file to the usual copy. Does not copy what an interrupted write has left, whose previous content the copy
 * has. Returns why the password can't be written, or undefined. Throws `no_space` before it has changed anything.
 */
export async function copyHashes(context: Context, name: string): Promise<string | undefined> {
  try {
    const current = await pull(context, name, shadowPath);
    if (await isLeftOver(context, name, current?.content ?? nothing)) return undefined;
    if (!current || !hasRoot(current.content)) return `Its ${shadowPath} has no line of root.`;
    await requireRoom(context, name, current.content.length);
    await replace(context, name, { ...current, path: shadowBackupPath });
    return undefined;
  } catch (error) {
    // What the client says of a file, such as that it is a directory, or too long.
    const isOfFile = isEngineError(error, 'invalid') && error.message.startsWith(shadowPath);
    if (isOfFile) return `Its ${error.message}.`;
    throw error;
  }
}

/**
 * Writes the copy with this hash of the password of root. Returns false if there is no copy, or if the guest was started
 * and has changed the file since the copy.
 */
export async function writeHashes(context: Context, name: string, hash: string): Promise<boolean> {
  const copy = await pull(context, name, shadowBackupPath);
  // A repeated write has the same content, on any day.
  const at = new Date(context.operation.created_at);
  const wanted = copy && withRootPassword(copy.content, hash, at);
  if (!wanted) return false;
  const current = await pull(context, name, shadowPath);
  const { content } = current ?? { content: nothing };
  const isBegun = wanted.subarray(0, content.length).equals(content);
  const isAsCopied = content.equals(copy.content) || isCutOff(content, copy.content);
  if (!isBegun && !isAsCopied) return false;
  await ensure(context, name, current, { ...copy, path: shadowPath, content: wanted });
  return true;
}

/** Writes the copy if the file is incomplete, because a write of the password was interrupted. */
export async function restoreHashes(context: Context, name: string): Promise<void> {
  const copy = await pull(context, name, shadowBackupPath);
  if (!copy || !hasRoot(copy.content)) return;
  const current = await pull(context, name, shadowPath);
  const left = current?.content ?? nothing;
  const content = isBeginning(left, copy.content) ? copy.content : left;
  await ensure(context, name, current, { ...copy, path: shadowPath, content });
}

/** Whether an interrupted write has left this. The copy is read only if it can be so. */
async function isLeftOver(context: Context, name: string, content: Buffer): Promise<boolean> {
  if (content.at(-1) === '\n'.charCodeAt(0)) return false;
  const copy = await pull(context, name, shadowBackupPath);
  return copy !== null && hasRoot(copy.content) && isCutOff(content, copy.content);
}

/**
 * Throws `no_space` unless there is room for the copy and for a new file: a write without room would leave an empty one.
 * Random bytes take room also on a disk that compresses.
 */
async function requireRoom(context: Context, name: string, bytes: number): Promise<void> {
  const content = randomBytes(2 * bytes + 4096);
  try {
    await replace(context, name, { uid: 0, gid: 0, mode: 0o600, path: roomPath, content });
  } finally {
    await remove(context, name, roomPath);
  }
}

const pull = ({ incus, signal }: Context, name: string, path: string) =>
  incus.files.pull(name, path, longestShadowBytes, { signal });

type Written = FileOwnership & { path: string; content: Buffer };

/**
 * Writes a file unless it is so already. An empty one is replaced, because it may be something that Incus must not open:
 * see `pull` of incus/files.ts. So is one with another owner or mode, which Incus sets on new files only.
 */
async function ensure(
  context: Context,
  name: string,
  current: PulledFile | null,
  file: Written,
): Promise<void> {
  const isSame = current !== null && current.content.length > 0 && hasSameOwner(current, file);
  if (!isSame) return await replace(context, name, file);
  if (current.content.equals(file.content)) return;
  context.signal.throwIfAborted();
  await push(context, name, file);
}

const hasSameOwner = (one: FileOwnership, other: FileOwnership) =>
  one.uid === other.uid && one.gid === other.gid && one.mode === other.mode;

async function replace(context: Context, name: string, file: Written): Promise<void> {
  context.signal.throwIfAborted();
  await remove(context, name, file.path);
  await push(context, name, file);
}

// These are not aborted: an interrupted call could leave the file empty, or none.

async function remove({ incus }: Context, name: string, path: string): Promise<void> {
  await incus.files.delete(name, path).catch((error) => {
    if (!isEngineError(error, 'not_found')) throw error;
  });
}

const push = (
  { incus }: Context,
  name: string,
  { path, uid, gid, mode, content }: Written,
): Promise<void> => incus.files.push(name, path, { type: 'file', uid, gid, mode, content });
