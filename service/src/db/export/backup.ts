import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../../../setup/commands.mjs';
import { fileTrouble } from '../../lib/system-errors.ts';
import { exportDatabase } from './export.ts';
import { type ExportHeader, verifyExport } from './export-file.ts';
import type { Progress } from './row-progress.ts';

/** The name contains the time at which the export began, so that names sort by age. */
const pattern = /^berth-\d{8}T\d{6}Z\.gz$/;

export interface Backup {
  directory: string;
  /** The number of exports to keep, including this one. */
  keep: number;
  now?: Date;
}

export interface BackupResult {
  path: string;
  header: ExportHeader;
  /** The names of the removed files. */
  removed: string[];
}

/**
 * Exports a database to a new file in a directory, and verifies the file. Only then it removes exports that are too
 * old. Files with other names are kept, and so are newer exports.
 */
export async function backUp(
  connectionString: string,
  { directory, keep, now = new Date() }: Backup,
  progress: Progress,
): Promise<BackupResult> {
  const stamp = `${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const path = join(directory, `berth-${stamp}.gz`);
  const header = await exportDatabase(connectionString, path, progress);
  await verifyExport(path);
  const exports = (await readdir(directory)).filter((name) => pattern.test(name)).sort();
  const removed = exports.slice(0, -keep);
  for (const name of removed) {
    await unlink(join(directory, name)).catch((error) => {
      throw notRemoved(path, join(directory, name), error);
    });
  }
  return { path, header, removed };
}

function notRemoved(path: string, old: string, error: unknown): unknown {
  const trouble = fileTrouble(error);
  if (!trouble) return error;
  const failed = `${path} is complete, but the older export ${old} can't be removed: it ${trouble.failed} (${trouble.code}).`;
  return new SetupError(failed, `Remove it by hand. ${trouble.wayOut}`);
}
