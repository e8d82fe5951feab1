import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import { emailIs } from '../users/queries.ts';

export interface Identity {
  issuer: string;
  subject: string;
}

/** Serialises sign-ins with an identity, until the transaction ends. */
export async function lockIdentity(trx: Trx, { issuer, subject }: Identity): Promise<void> {
  const key = `identity ${issuer} ${subject}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
}

export async function findUserOfIdentity(trx: Trx, { issuer, subject }: Identity) {
  return await trx
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select('users.id')
    .select(sql<boolean>`disabled_at is not null`.as('isDisabled'))
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** The user with this email address, and whether they can sign in in any way. Locks the row. */
export async function findUserWithoutCredentials(trx: Trx, email: string) {
  return await trx
    .selectFrom('users')
    .select('id')
    .select(
      sql<boolean>`password_hash is null
        and disabled_at is null
        and not exists (select from identities i where i.user_id = users.id)
        and not exists (select from passkeys p where p.user_id = users.id)`.as('isWithout'),
    )
    .where('deleted_at', 'is', null)
    .where(emailIs(email))
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function insertIdentity(
  trx: Trx,
  { issuer, subject }: Identity,
  userId: number,
): Promise<void> {
  await trx.insertInto('identities').values({ issuer, subject, user_id: userId }).execute();
}
