import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** Makes all servers and prices so many hours older, so that a statement has whole hours. */
export async function moveUsageBack(db: Db, hours: number): Promise<void> {
  for (const table of ['server_spans', 'size_prices']) {
    await sql`update ${sql.table(table)} set from_at = from_at - ${hours}::int * interval '1 hour'`.execute(
      db,
    );
  }
}
