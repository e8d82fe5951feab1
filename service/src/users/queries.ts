import type { Person } from '@berth/contract/users';
import { sql } from 'kysely';
import { deleteAnswersTo } from '../changes/idempotency-queries.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, isOneOf } from '../db/filters.ts';
import { listing } from '../db/listing.ts';
import { emailKey } from '../lib/email.ts';
import { revokeTokensOf } from './belongings-queries.ts';

const now = sql<string>`now()`;

function shownUsers(db: Queryable) {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'is_admin', 'disabled_at', 'created_at'])
    .select(sql<boolean>`password_hash is not null`.as('has_password'))
    .where('deleted_at', 'is', null);
}

export type ShownUser = Awaited<ReturnType<typeof listAllUsers>>[number];

/** Ordered by id. */
export function listUsers(db: Queryable, { q }: { q?: string | undefined } = {}) {
  return listing(shownUsers(db).where(beginsWith(['email', 'name'], q)), { id: 'id' });
}

export async function listAllUsers(db: Queryable) {
  return await shownUsers(db).orderBy('id').execute();
}

/** The ids among these that are of users, including deleted ones. */
export async function knownUsers(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('users').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

export async function findUser(db: Queryable, id: number): Promise<ShownUser | undefined> {
  return await shownUsers(db).where('id', '=', id).executeTakeFirst();
}

/** The name of a request's project, and the user who sends the request: null for a token without a user. */
export async function findNames(
  db: Queryable,
  { projectId, userId }: { projectId: number; userId: number | null },
) {
  const user = sql<Person | null>`(
    select json_build_object('id', id, 'email', email, 'name', name, 'is_admin', is_admin)
    from users where id = ${userId}::bigint and deleted_at is null)`;
  return await db
    .selectFrom('projects')
    .select(['name as project', user.as('user')])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}

export async function findUserByEmail(db: Queryable, email: string) {
  return await shownUsers(db).where(emailIs(email)).executeTakeFirst();
}

/** Locked until the transaction ends. */
export async function lockUser(trx: Trx, id: number): Promise<ShownUser | undefined> {
  // Rows that refer to it can still be added.
  return await shownUsers(trx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** The user with the hash of the password. Also undefined for a disabled user. */
export async function findCredentials(db: Queryable, by: { email: string } | { id: number }) {
  return await db
    .selectFrom('users')
    .select(['id', 'password_hash as passwordHash'])
    .select(sql<boolean>`disabled_at is not null`.as('isDisabled'))
    .where('deleted_at', 'is', null)
    .where('email' in by ? emailIs(by.email) : sql<boolean>`id = ${by.id}`)
    .executeTakeFirst();
}

/**
 * The hash of the password, locked until the transaction ends. Null if the user has none; undefined if there is no such
 * user.
 */
export async function lockPasswordHash(trx: Trx, id: number): Promise<string | null | undefined> {
  const query = trx.selectFrom('users').select('password_hash').where('deleted_at', 'is', null);
  const row = await query.where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return row?.password_hash;
}

/** Whether another user has the address. */
export async function isEmailTaken(trx: Trx, email: string, besidesId = 0): Promise<boolean> {
  // Otherwise two concurrent changes would both find it free.
  const key = `user ${emailKey(email)}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
  const query = shownUsers(trx).where(emailIs(email)).where('id', '<>', besidesId);
  return (await query.executeTakeFirst()) !== undefined;
}

export interface NewUser {
  email: string;
  name: string;
  passwordHash: string | null;
  isAdmin: boolean;
}

export async function insertUser(trx: Trx, user: NewUser): Promise<number> {
  const { id } = await trx
    .insertInto('users')
    .values({
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      is_admin: user.isAdmin,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface UserValues {
  email?: string | undefined;
  name?: string | undefined;
  passwordHash?: string | undefined;
  isAdmin?: boolean | undefined;
  isDisabled?: boolean | undefined;
}

export async function updateUser(trx: Trx, id: number, values: UserValues): Promise<void> {
  const { email, name, passwordHash, isAdmin, isDisabled } = values;
  await trx
    .updateTable('users')
    .set(({ ref }) => ({
      // An update must set at least one column.
      name: name ?? ref('name'),
      ...(email !== undefined && { email }),
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(isAdmin !== undefined && { is_admin: isAdmin }),
      ...(isDisabled !== undefined && { disabled_at: isDisabled ? now : null }),
    }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();
}

/** Erases the personal data, and keeps the row, because its history refers to it. */
export async function eraseUser(trx: Trx, id: number): Promise<void> {
  for (const table of [
    ...(['memberships', 'identities', 'passkeys', 'sessions', 'known_networks'] as const),
  ]) {
    await trx.deleteFrom(table).where('user_id', '=', id).execute();
  }
  await deleteAnswersTo(trx, id);
  await revokeTokensOf(trx, id);
  await trx
    .updateTable('users')
    .set({ email: '', name: '', password_hash: null, is_admin: false })
    .set({ disabled_at: now, deleted_at: now })
    .where('id', '=', id)
    .execute();
}

export function emailIs(email: string) {
  return sql<boolean>`lower(email collate "C") = ${emailKey(email)}`;
}
