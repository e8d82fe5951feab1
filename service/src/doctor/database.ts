import { createDb, createPool, type Db } from '../db/connection.ts';
import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import type { DatabasePlace } from '../db/open.ts';

/**
 * The codes of PostgreSQL for invalid_catalog_name, undefined_table and undefined_column. A first start or an upgrade
 * has not created these objects yet.
 */
const notMigrated = ['3D000', '42P01', '42703'];

const isNotMigrated = (error: unknown) =>
  error instanceof Error && 'code' in error && notMigrated.includes(String(error.code));

/** Reads from a running database. Undefined if it is not created or upgraded yet. */
export async function readFrom<T>(
  connectionString: string,
  read: (db: Db) => Promise<T>,
): Promise<T | undefined> {
  const db = createDb(createPool(connectionString, { max: 1 }));
  try {
    return await read(db);
  } catch (error) {
    if (isNotMigrated(error)) return undefined;
    throw error;
  } finally {
    await db.destroy();
  }
}

/** Reads from the database of a service. Undefined also if there is none, or if it is stopped. */
export async function readIfRunning<T>(
  place: DatabasePlace,
  read: (db: Db) => Promise<T>,
): Promise<T | undefined> {
  const database = place.databaseUrl ?? (await findEmbeddedPostgres(place));
  if (database === 'none' || database === 'stopped') return undefined;
  return await readFrom(database, read);
}
