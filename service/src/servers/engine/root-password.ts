import {
  hasRoot,
  longestShadowBytes,
  shadowBackupPath,
  shadowPath,
  withRootPassword,
} from '../../guests/shadow.ts';
import type { FileOwnership, PulledFile } from '../../incus/files.ts';
import { isStillRunning } from '../../incus/operations.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import type { ServerStepContext } from '../define-operation.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'operation' | 'signal'>;

/** A guest that takes longer must not occupy a worker. */
const runSeconds = 5;
/** How often a guest is asked that takes longer: its node may be slow. */
const mostTries = 3;

/**
 * Sets the hash of the password of root in a running guest, with its own tool, which Debian, Alpine and others have. The
 * hash is its standard input, because everybody in the guest can read arguments. Returns its exit status, or `hangs` if
 * it does not end.
 */
export async function setInGuest(
  { incus, operation, signal }: Context,
  name: string,
  hash: string,
): Promise<number | 'hangs'> {
  const options = { signal, timeoutSeconds: runSeconds };
  try {
    return await incus.exec.run(name, ['chpasswd', '-e'], `root:${hash}\n`, options);
  } catch (error) {
    if (isStillRunning(error) && operation.attempts + 1 >= mostTries) return 'hangs';
    throw error;
  }
}

/**
 * Copies the file of the hashes of a stopped container to the usual copy, from which it is written: Incus empties a file
 * before it writes it, so it can be read no more once that has begun. A file without root is not copied, because it was
 * left by an interrupted write. Returns why the password can't be written, or undefined.
 */
export async function copyHashes(context: Context, name: string): Promise<string | undefined> {
  try {
    const current = await pull(context, name, shadowPath);
    const copy = await pull(context, name, shadowBackupPath);
    if (isComplete(current)) {
      await replace(context, name, { ...current, path: shadowBackupPath });
      return undefined;
    }
    return isComplete(copy) ? undefined : `Its ${shadowPath} has no line of root.`;
  } catch (error) {
    if (!isEngineError(error, 'invalid')) throw error;
    // Such as a directory, a link, or an endless file.
    return `Its ${shadowPath} or ${shadowBackupPath} is not an ordinary file.`;
  }
}

/**
 * Writes the copy, with the hash of the password of root, to the disk of a stopped container, which has it from its next
 * start on. Returns false if there is no copy.
 */
export async function writeHashes(context: Context, name: string, hash: string): Promise<boolean> {
  const copy = await pull(context, name, shadowBackupPath);
  const content = copy && withRootPassword(copy.content, hash, new Date());
  if (!content) return false;
  const current = await pull(context, name, shadowPath);
  const written = { ...copy, path: shadowPath, content };
  if (isComplete(current)) await write(context, name, written);
  else await replace(context, name, written);
  return true;
}

const pull = ({ incus, signal }: Context, name: string, path: string) =>
  incus.files.pull(name, path, longestShadowBytes, { signal });

const isComplete = (file: PulledFile | null): file is PulledFile =>
  file !== null && hasRoot(file.content);

type Written = FileOwnership & { path: string; content: Buffer };

/** Replaces a file by a new one, since it may be something that Incus must not open: see `pull`. */
async function replace(context: Context, name: string, file: Written): Promise<void> {
  const { incus, signal } = context;
  await incus.files.delete(name, file.path, { signal }).catch((error) => {
    if (!isEngineError(error, 'not_found')) throw error;
  });
  await write(context, name, file);
}

/** This is not aborted: an interrupted call could leave the file empty. */
const write = (
  { incus }: Context,
  name: string,
  { path, uid, gid, mode, content }: Written,
): Promise<void> => incus.files.push(name, path, { type: 'file', uid, gid, mode, content });
