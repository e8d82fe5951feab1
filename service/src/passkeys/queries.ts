import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { listing } from '../db/listing.ts';

/** The maximum of passkeys of a user. More would not fit into the options for a browser. */
const mostKnown = 100;
const shown = ['id', 'name', 'created_at', 'last_used_at'] as const;

/** One page, ordered by id. */
export function listPasskeys(db: Queryable, userId: number) {
  const query = db.selectFrom('passkeys').select(shown).where('user_id', '=', userId);
  return listing(query, { id: 'id' });
}

export type ShownPasskey = Awaited<ReturnType<ReturnType<typeof listPasskeys>['page']>>[number];

/** The newest ones, so that a browser does not create a second one on the same device. */
export async function listKnownCredentials(db: Queryable, userId: number) {
  return await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(mostKnown)
    .execute();
}

/** The public key with which a signature is verified. */
export async function findCredential(db: Queryable, credentialId: Buffer) {
  return await db
    .selectFrom('passkeys')
    .select(['id', 'user_id as userId', 'public_key as publicKey', 'counter'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

export interface NewPasskey {
  userId: number;
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  name: string;
}

/** Undefined if the credential is already registered. */
export async function insertPasskey(
  trx: Trx,
  passkey: NewPasskey,
): Promise<ShownPasskey | undefined> {
  return await trx
    .insertInto('passkeys')
    .values({
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      name: passkey.name,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning([...shown])
    .executeTakeFirst();
}

/**
 * Records a sign-in. Returns false if the passkey is gone, or a copy of it was used meanwhile. A
 * counter that stays 0 is not used (WebAuthn, "Signature Counter Considerations").
 */
export async function recordPasskeyUse(trx: Trx, id: number, counter: number): Promise<boolean> {
  const result = await trx
    .updateTable('passkeys')
    .set({ counter, last_used_at: sql<string>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`(counter < ${counter} or counter = 0 and ${counter}::bigint = 0)`)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deletePasskey(
  trx: Trx,
  userId: number,
  id: number,
): Promise<ShownPasskey | undefined> {
  return await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning([...shown])
    .executeTakeFirst();
}
