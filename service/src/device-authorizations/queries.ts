import { type ColumnType, type Generated, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';

interface DeviceAuthorizationsTable {
  device_code_sha256: Buffer;
  user_code_sha256: Buffer;
  client_name: string;
  address: string;
  created_at: Timestamp;
  expires_at: ColumnType<string>;
  is_denied: Generated<boolean>;
  token_id: number | null;
  /** Encrypted. */
  token: Buffer | null;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    device_authorizations: DeviceAuthorizationsTable;
  }
}

const isValid = sql<boolean>`expires_at > now()`;

interface NewAuthorization {
  deviceCodeHash: Buffer;
  userCodeHash: Buffer;
  clientName: string;
  address: string;
}

/** Returns when it expires; undefined if another one has the same user code. */
export async function insertAuthorization(
  db: Queryable,
  { deviceCodeHash, userCodeHash, clientName, address }: NewAuthorization,
): Promise<string | undefined> {
  const row = await db
    .insertInto('device_authorizations')
    .values({
      device_code_sha256: deviceCodeHash,
      user_code_sha256: userCodeHash,
      client_name: clientName,
      address,
      expires_at: sql<string>`now() + interval '10 minutes'`,
    })
    .onConflict((conflict) => conflict.column('user_code_sha256').doNothing())
    .returning('expires_at')
    .executeTakeFirst();
  return row?.expires_at;
}

function pending(db: Queryable, userCodeHash: Buffer) {
  return db
    .selectFrom('device_authorizations')
    .select(['device_code_sha256', 'client_name', 'created_at', 'expires_at'])
    .select(sql<string>`host(address)`.as('address'))
    .where('user_code_sha256', '=', userCodeHash)
    .where(isValid)
    .where('is_denied', '=', false)
    .where('token_id', 'is', null);
}

export type PendingRow = NonNullable<Awaited<ReturnType<typeof findPending>>>;

/** The one with this user code, which nobody has approved or denied. */
export async function findPending(db: Queryable, userCodeHash: Buffer) {
  return await pending(db, userCodeHash).executeTakeFirst();
}

/** Of two people who decide, the second one finds nothing. */
export async function lockPending(trx: Trx, userCodeHash: Buffer) {
  return await pending(trx, userCodeHash).forUpdate().executeTakeFirst();
}

export async function storeToken(
  trx: Trx,
  deviceCodeHash: Buffer,
  { id, sealed }: { id: number; sealed: Buffer },
): Promise<void> {
  await trx
    .updateTable('device_authorizations')
    .set({ token_id: id, token: sealed })
    .where('device_code_sha256', '=', deviceCodeHash)
    .execute();
}

export async function storeDenial(trx: Trx, deviceCodeHash: Buffer): Promise<void> {
  await trx
    .updateTable('device_authorizations')
    .set({ is_denied: true })
    .where('device_code_sha256', '=', deviceCodeHash)
    .execute();
}

/** Deletes and returns what was decided; of two concurrent requests, one gets it. */
export async function takeDecision(db: Queryable, deviceCodeHash: Buffer) {
  return await db
    .deleteFrom('device_authorizations')
    .where('device_code_sha256', '=', deviceCodeHash)
    .where(isValid)
    .where((where) => where.or([where('is_denied', '=', true), where('token_id', 'is not', null)]))
    .returning(['token_id', 'token'])
    .executeTakeFirst();
}

/** Whether the code waits for a decision. */
export async function isPending(db: Queryable, deviceCodeHash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('device_authorizations')
    .select('token_id')
    .where('device_code_sha256', '=', deviceCodeHash)
    .where(isValid)
    .executeTakeFirst();
  return row !== undefined;
}
