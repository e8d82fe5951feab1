import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../../../setup/commands.mjs';

/** Why nothing can be written: `failed` goes behind the name of the folder, `wayOut` is a sentence or two. */
export interface NoRoom {
  code: string;
  words: string;
  failed: string;
  wayOut: string;
}

/** By the codes of Node.js, and by strerror(3), in which initdb and PostgreSQL say it. */
const reasons: readonly NoRoom[] = [
  {
    code: 'ENOSPC',
    words: 'No space left on device',
    failed: 'is on a disk that is full',
    wayOut: 'Free disk space there: "df -h" and "df -i" show what is used.',
  },
  {
    code: 'EDQUOT',
    words: 'Disk quota exceeded',
    failed: 'is at the limit of a disk quota',
    wayOut: 'Raise the quota of the user that Berth runs as, or free disk space there.',
  },
  {
    code: 'EROFS',
    words: 'Read-only file system',
    failed: 'is on a file system that is read-only',
    wayOut:
      'The kernel does this after a disk error: see "dmesg", repair the disk, and mount it writable.',
  },
];

/**
 * Why nothing can be written to the data directory, in words for a person; undefined for any other error, and
 * for one of a file elsewhere, or of no file that is known.
 */
export function noRoomError(
  error: unknown,
  dataDir: string,
  then = 'start Berth again',
): SetupError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== dataDir && !path?.startsWith(`${dataDir}/`)) return undefined;
  const reason = reasons.find((reason) => reason.code === code);
  return explained(reason, dataDir, { then });
}

/** The same of a program that writes to the data directory alone, by what it printed. */
export function noRoomForProgram(error: unknown, dataDir: string): SetupError | undefined {
  if (!(error instanceof Error && 'stderr' in error)) return undefined;
  const printed = String(error.stderr);
  const reason = reasons.find(({ words }) => printed.includes(words));
  return explained(reason, dataDir, { output: printed });
}

function explained(
  reason: NoRoom | undefined,
  dataDir: string,
  { then = 'start Berth again', output = '' } = {},
) {
  if (!reason) return undefined;
  const failed = `The data directory ${dataDir} ${reason.failed} (${reason.code}).`;
  return new SetupError(failed, `${reason.wayOut} Then ${then}.`, output);
}

/**
 * Throws `SetupError` where nothing can be written to the data directory. PostgreSQL does not tell: its log is in that
 * directory, too.
 */
export async function requireRoom(dataDir: string): Promise<void> {
  const found = explained(await lackOfRoom(dataDir), dataDir);
  if (found) throw found;
}

/**
 * Tries whether something can be written to the data directory. Answers why not, undefined where it can, and throws
 * what is no lack of room.
 */
export async function lackOfRoom(dataDir: string): Promise<NoRoom | undefined> {
  const path = join(dataDir, 'room');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      // Two may try at once.
      await rm(path, { force: true });
      await file.writeFile(Buffer.alloc(8192));
      await file.sync();
    } finally {
      await file.close();
    }
    return undefined;
  } catch (error) {
    const reason = noRoomReason(error);
    if (reason) return reason;
    throw error;
  }
}

/** Why there is no room for a file, wherever that was to be; undefined for any other error. */
export function noRoomReason(error: unknown): NoRoom | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return reasons.find((reason) => reason.code === code);
}
