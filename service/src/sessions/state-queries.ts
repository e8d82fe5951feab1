import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

interface NewState {
  hash: Buffer;
  kind: string;
  data: Buffer;
  seconds: number;
}

export async function insertState(db: Queryable, state: NewState): Promise<void> {
  const { hash, kind, data, seconds } = state;
  const expires_at = sql<string>`now() + make_interval(secs => ${seconds})`;
  await db
    .insertInto('sign_in_states')
    .values({ secret_sha256: hash, kind, data, expires_at })
    .execute();
}

/** Deletes and returns it; of two concurrent requests, one gets it. */
export async function takeStateRow(
  db: Queryable,
  kind: string,
  hash: Buffer,
): Promise<Buffer | undefined> {
  const row = await db
    .deleteFrom('sign_in_states')
    .where('secret_sha256', '=', hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', sql<string>`now()`)
    .returning('data')
    .executeTakeFirst();
  return row?.data;
}
