import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../../../setup/commands.mjs';
import { type NoRoom, noRoom, noRoomReason } from '../../lib/system-errors.ts';
import { databaseTrouble } from '../errors.ts';

const mebibyte = 1024 ** 2;
/** A new cluster has 49 MiB after its first stop; its log of changes grows with use. */
const newDatabaseMebibytes = 100;

/**
 * Explains why nothing can be written to the data directory. Undefined for any other error, and if the file of the
 * error is elsewhere or unknown.
 */
export function noRoomError(
  error: unknown,
  dataDir: string,
  then = 'start Berth again',
): SetupError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== dataDir && !path?.startsWith(`${dataDir}/`)) return undefined;
  const reason = noRoom.find((reason) => reason.code === code);
  return explained(reason, dataDir, { then });
}

/** Explains the same for a program that writes only to the data directory, according to its output. */
export function noRoomForProgram(error: unknown, dataDir: string): SetupError | undefined {
  if (!(error instanceof Error && 'stderr' in error)) return undefined;
  const printed = String(error.stderr);
  const reason = noRoom.find(({ words }) => printed.includes(words));
  return explained(reason, dataDir, { output: printed });
}

/** The same for an error of an embedded PostgreSQL. */
export function noRoomForDatabase(error: unknown, dataDir: string): SetupError | undefined {
  if (databaseTrouble(error) !== 'full') return undefined;
  const reason = noRoom.find(({ code }) => code === 'ENOSPC');
  return explained(reason, dataDir);
}

/**
 * Throws `SetupError` if the disk is too small for a new database, before anything is written.
 */
export async function requireRoomForNew(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = Math.floor((bavail * bsize) / mebibyte);
  if (free >= newDatabaseMebibytes) return;
  throw new SetupError(
    `The disk of the data directory ${dataDir} has ${free} MiB of free space, and a new database needs at least ${newDatabaseMebibytes} MiB.`,
    'Free disk space there, or set BERTH_DATA_DIR to a directory on a larger disk. Then start Berth again.',
  );
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
 * Throws `SetupError` if nothing can be written to the data directory. PostgreSQL can't report this, because its log is
 * in the same directory.
 */
export async function requireRoom(dataDir: string): Promise<void> {
  const found = explained(await lackOfRoom(dataDir), dataDir);
  if (found) throw found;
}

/**
 * Tries to write to the data directory. Returns the reason if there is no space, and undefined if the write succeeds.
 * Throws other errors.
 */
export async function lackOfRoom(dataDir: string): Promise<NoRoom | undefined> {
  const path = join(dataDir, 'room');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      // Two processes may try at the same time, so the file is removed before it is written.
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
