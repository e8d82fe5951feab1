import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** The time for which a response can be replayed. */
export const idempotencyLifetime = sql`interval '24 hours'`;

/** Removes expired keys, and returns their number. */
export async function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', sql<string>`now() - ${idempotencyLifetime}`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
