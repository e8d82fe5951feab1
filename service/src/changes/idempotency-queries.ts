import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { idempotencyLifetime } from '../retention/idempotency-queries.ts';

/** A stored answer, to be replayed. */
export interface StoredAnswer {
  requestHmac: Buffer;
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** Encrypted. */
  secret: Buffer | null;
}

export interface ReplacedAnswer extends Pick<StoredAnswer, 'status' | 'headers' | 'body'> {
  keepsSecret: boolean;
}

/** Locks the key until the transaction ends; false while another request has the lock. */
export async function tryLockKey(trx: Trx, caller: string, key: string): Promise<boolean> {
  const tried = sql<boolean>`
    pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${caller} ${key}`}, 0))`;
  const { held } = await trx.selectNoFrom(tried.as('held')).executeTakeFirstOrThrow();
  return held;
}

export async function findAnswer(
  db: Queryable,
  caller: string,
  key: string,
): Promise<StoredAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hmac as requestHmac', 'status', 'headers', 'body', 'secret'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('created_at', '>', sql<string>`now() - ${idempotencyLifetime}`)
    .executeTakeFirst();
  return row;
}

/** Replaces an answer that has expired. */
export async function storeAnswer(
  trx: Trx,
  caller: string,
  key: string,
  answer: StoredAnswer,
): Promise<void> {
  const values = {
    request_hmac: answer.requestHmac,
    status: answer.status,
    headers: JSON.stringify(answer.headers),
    body: JSON.stringify(answer.body),
    secret: answer.secret,
    created_at: sql<string>`now()`,
  };
  await trx
    .insertInto('idempotency_keys')
    .values({ caller, key, ...values })
    .onConflict((conflict) => conflict.columns(['caller', 'key']).doUpdateSet(values))
    .execute();
}

/** Replaces the stored answer of the same request. Its secret is kept or removed. */
export async function replaceAnswer(
  db: Db,
  caller: string,
  key: string,
  { status, headers, body, keepsSecret }: ReplacedAnswer,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({
      status,
      headers: JSON.stringify(headers),
      body: JSON.stringify(body),
      ...(!keepsSecret && { secret: null }),
    })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .execute();
}

/**
 * Removes the secrets from the stored answers to requests about a server. There are few answers with
 * a secret, which have an index.
 */
export async function wipeAnswerSecrets(trx: Trx, serverId: number): Promise<void> {
  await sql`
    update idempotency_keys set secret = null
    where secret is not null and headers ->> 'Operation-Id' in (
      select id::text from operations where server_id = ${serverId})`.execute(trx);
}

/**
 * Deletes the stored answers to a user, and to tokens of theirs. `idempotency.ts` names the
 * callers.
 */
export async function deleteAnswersTo(trx: Trx, userId: number): Promise<void> {
  await sql`
    delete from idempotency_keys where caller = ${`user:${userId}`}
      or caller in (select 'token:' || id from tokens where created_by = ${userId})`.execute(trx);
}
