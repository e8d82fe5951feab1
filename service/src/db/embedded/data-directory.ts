import { join } from 'node:path';
import { SetupError } from '../../../../setup/commands.mjs';
import { fileInPath, makeDirectory } from './directory.ts';
import { noRoomError } from './no-room.ts';

/** The directory of an embedded PostgreSQL. */
export const clusterIn = (dataDir: string) => join(dataDir, 'postgres');

/** Creates the data directory if it does not exist. Throws `SetupError` if that fails. */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  requireNoFile(dataDir, dataDir);
  try {
    await makeDirectory(dataDir);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Explains an error that concerns a parent as well.
    const noRoom = noRoomError(Object.assign(error, { path: dataDir }), dataDir);
    const failed = `The data directory ${dataDir} can't be made (${error.code}).`;
    throw noRoom ?? new SetupError(failed, 'Set BERTH_DATA_DIR to one that can.');
  }
}

/**
 * Throws `SetupError` if `path` or one of its parents is a file, and not a directory. `path` is the data directory, or
 * is in it.
 */
export function requireNoFile(dataDir: string, path: string): void {
  const file = fileInPath(path);
  if (file === undefined) return;
  if (file.startsWith(`${dataDir}/`)) {
    const failed = `${file} is a file, where the directory of the database belongs.`;
    throw new SetupError(failed, 'Move it elsewhere: nothing of Berth has that name.');
  }
  const failed =
    file === dataDir
      ? `The data directory ${dataDir} is a file.`
      : `The data directory ${dataDir} can't be made: ${file} is a file.`;
  throw new SetupError(failed, 'Set BERTH_DATA_DIR to a directory.');
}
