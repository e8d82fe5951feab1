import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** The id that labels what this installation made in Incus. */
export async function installationId(db: Queryable): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return id;
}

/** The database's clock, the one clock that all replicas share. */
export async function databaseTime(db: Queryable): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not tell the time.');
  return row.now;
}
