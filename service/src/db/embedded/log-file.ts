import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../connection.ts';

const mostLogBytes = 10 * 1024 * 1024;

export const logFileIn = (dataDir: string) => join(dataDir, 'postgres.log');

/**
 * Settings of PostgreSQL for one log file, which its collector opens anew when it is told to, and never by itself.
 * pg_ctl has what comes before the collector runs appended to the same file.
 */
export function logSettings(path: string): Record<string, string> {
  return {
    logging_collector: 'on',
    log_directory: dirname(path),
    log_filename: basename(path),
    log_rotation_age: '0',
    log_rotation_size: '0',
  };
}

/**
 * Renames a log of more than `mostBytes` to `PATH.1`, in place of the one before, and tells PostgreSQL to begin the next.
 * Until it does, it writes to the renamed one: no line is lost. Where the file is missing, a run before got no further
 * than to rename it. Without a collector, as in a PostgreSQL that an earlier release has left running, it does nothing.
 */
export async function rotateLarge(db: Db, path: string, mostBytes = mostLogBytes) {
  const size = await sizeOf(path);
  if (size !== undefined && size <= mostBytes) return { rotated: 0 };
  const collector = await sql<{ runs: boolean }>`
    select current_setting('logging_collector') = 'on' as runs`.execute(db);
  if (!collector.rows[0]?.runs) return { rotated: 0 };
  if (size !== undefined) await rename(path, `${path}.1`);
  await sql`select pg_rotate_logfile()`.execute(db);
  return { rotated: 1 };
}

/** In bytes; undefined: there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
