import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../connection.ts';

const mostLogBytes = 10 * 1024 * 1024;

export const logFileIn = (dataDir: string) => join(dataDir, 'postgres.log');

/**
 * The settings of PostgreSQL for a single log file. The logging collector reopens it only on request. pg_ctl appends to
 * the same file before the collector runs.
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
 * Renames a log of more than `mostBytes` to `PATH.1`, replacing the previous one, and requests PostgreSQL to reopen the
 * log. Until then PostgreSQL writes to the renamed file, so that no line is lost. If the file is missing, a previous
 * run was interrupted after the rename. Does nothing without a logging collector, as in a PostgreSQL that an earlier
 * release left running.
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

/** The size of a file in bytes; undefined if it does not exist. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
