import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';

// Queries of objects in other folders that belong to a user, and are checked or removed when the user is deleted.

/** Locks the owners of the projects that a user owns, until the transaction ends. */
export async function lockOwnedProjects(trx: Trx, userId: number): Promise<void> {
  const owned = trx.selectFrom('memberships').select('project_id');
  await trx
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', owned.where('user_id', '=', userId).where('role', '=', 'owner'))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** The projects that have no other owner than this one. */
export async function listProjectsOwnedAlone(trx: Trx, userId: number) {
  return await trx
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['projects.id', 'projects.name'])
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`not exists (
      select from memberships other
      where other.project_id = projects.id and other.role = 'owner' and other.user_id <> ${userId})`)
    .orderBy('projects.id')
    .execute();
}

/** How many valid tokens a user has, in all projects. */
export async function countTokensOf(db: Queryable, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('tokens')
    .select(sql<number>`count(*)`.as('count'))
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Revokes all tokens of a person, in all projects. */
export async function revokeTokensOf(trx: Trx, userId: number): Promise<void> {
  await trx
    .updateTable('tokens')
    .set({ revoked_at: sql<string>`now()` })
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends all sessions of a user, or all except one. Returns how many there were. */
export async function endSessions(db: Queryable, userId: number, besidesId = 0): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '<>', besidesId)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
