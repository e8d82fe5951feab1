import { sql } from 'kysely';
import type { Queryable, Trx } from '../../db/connection.ts';
import { beginsWith, isNamed } from '../../db/filters.ts';
import { type Listing, listing } from '../../db/listing.ts';
import type { Role } from '../../db/schema/people-schema.ts';

function shownMembers(db: Queryable, projectId: number) {
  return (
    db
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['user_id as id', 'email', 'name', 'role', 'memberships.created_at'])
      .where('project_id', '=', projectId)
      // Members are never deleted users; the indexes of users exclude these too.
      .where('users.deleted_at', 'is', null)
  );
}

export type ShownMember = NonNullable<Awaited<ReturnType<typeof findMember>>>;

/** Members ordered by the user's id. */
export function listMembers(
  db: Queryable,
  projectId: number,
  { q }: { q?: string | undefined } = {},
): Listing<ShownMember> {
  const query = shownMembers(db, projectId).where(beginsWith(['email', 'name'], q));
  return listing(query, { id: 'user_id' });
}

/** The member of the project with an email address. */
export async function findMembersByEmail(db: Queryable, projectId: number, email: string) {
  return await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email as name'])
    .where('project_id', '=', projectId)
    .where(isNamed('users.email', email))
    .execute();
}

export async function findMember(db: Queryable, projectId: number, userId: number) {
  return await shownMembers(db, projectId).where('user_id', '=', userId).executeTakeFirst();
}

/** Whether a user can access a project, as a member or as an administrator. */
export async function mayActIn(db: Queryable, projectId: number, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'users.id')
        .on('memberships.project_id', '=', projectId),
    )
    .select('users.id')
    .where('users.id', '=', userId)
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`(is_admin or role is not null)`)
    .executeTakeFirst();
  return row !== undefined;
}

/** The projects of a user, the oldest membership first. */
export async function listMemberships(db: Queryable, userId: number) {
  return await db
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['projects.id', 'projects.name', 'role'])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .orderBy('memberships.created_at')
    .orderBy('projects.id')
    .execute();
}

export async function countOtherOwners(trx: Trx, projectId: number, userId: number) {
  const { count } = await trx
    .selectFrom('memberships')
    .select(sql<number>`count(*)`.as('count'))
    .where('project_id', '=', projectId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function putMember(
  trx: Trx,
  member: { projectId: number; userId: number; role: Role },
): Promise<void> {
  const { projectId, userId, role } = member;
  await trx
    .insertInto('memberships')
    .values({ project_id: projectId, user_id: userId, role })
    .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role }))
    .execute();
}

/** Undefined if the user is not a member: a member who is removed at the same time must not be added again. */
export async function updateMember(
  trx: Trx,
  { projectId, userId, role }: { projectId: number; userId: number; role: Role },
): Promise<ShownMember | undefined> {
  await trx
    .updateTable('memberships')
    .set({ role })
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .execute();
  return await findMember(trx, projectId, userId);
}

/** Also revokes their tokens, which must not become valid again when the user is added again. */
export async function deleteMember(trx: Trx, projectId: number, userId: number): Promise<void> {
  await trx
    .deleteFrom('memberships')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .execute();
  await trx
    .updateTable('tokens')
    .set({ revoked_at: sql<string>`now()` })
    .where('project_id', '=', projectId)
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}
