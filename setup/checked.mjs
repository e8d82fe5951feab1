import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This is next to the npm packages, so that a new installation of them also removes these notes. */
const notes = fileURLToPath(new URL('../node_modules/.cache/berth-setup/', import.meta.url));

/**
 * Identifies the content of a file without reading it. Other content gives another text. Undefined if the file is missing.
 * @param {string} path
 */
export function versionOf(path) {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/**
 * Whether the last check of this name passed in the same state.
 * @param {string} name
 * @param {string} state everything on which the result of the check depends
 */
export function hasPassed(name, state, folder = notes) {
  try {
    return readFileSync(join(folder, name), 'utf8') === state;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EACCES') return false;
    throw error;
  }
}

/**
 * Notes that a check passed in this state, unless the npm packages belong to another user: who could not remove what root
 * leaves there, and so not replace the packages.
 * @param {string} name
 * @param {string} state
 */
export function notePassed(name, state, folder = notes) {
  if (!isOurs(folder)) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), state);
  } catch (error) {
    // The folder may belong to another user, or the disk may be full. In that case, the next start checks again.
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(error.code)) throw error;
  }
}

/**
 * Whether this user owns a folder, or if it does not exist, the one above it.
 * @param {string} folder
 */
function isOurs(folder) {
  if (existsSync(folder)) return statSync(folder).uid === process.getuid?.();
  return isOurs(dirname(folder));
}
