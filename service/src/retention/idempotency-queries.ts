import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** How long an answer can be replayed. */
export const idempotencyLifetime = sql`interval '24 hours'`;

/** Removes the keys that no longer count. Answers how many there were. */
export async function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', sql<string>`now() - ${idempotencyLifetime}`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
