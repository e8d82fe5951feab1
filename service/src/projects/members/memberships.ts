import type { Caller } from '../../callers/app-types.ts';
import { allows } from '../../callers/scopes.ts';
import type { Queryable, Trx } from '../../db/connection.ts';
import type { Role } from '../../db/schema/people-schema.ts';
import { invalidFields, Problem } from '../../problems/problem.ts';
import { findUserByEmail, lockUser } from '../../users/queries.ts';
import { projectNotFound } from '../projects.ts';
import { findProject, lockProject } from '../queries.ts';
import {
  countOtherOwners,
  deleteMember,
  findMember,
  findMembersByEmail,
  putMember,
  type ShownMember,
  updateMember,
} from './queries.ts';

export function memberNotFound(userId: number | string): Problem {
  return new Problem('member_not_found', `No member of the project has the id ${userId}.`);
}

/**
 * Throws unless the caller manages the members of this project, as one of its owners or an
 * administrator. Only an administrator's token manages members, whoever created it.
 */
export async function requireManager(
  db: Queryable,
  { scopes, tokenId, userId, project }: Caller,
  projectId: number,
): Promise<void> {
  const isAdmin = allows(scopes, 'admin');
  const isPerson = tokenId === null && userId !== null;
  const member = isPerson ? await findMember(db, projectId, userId) : undefined;
  const isVisible = isAdmin || member !== undefined || project.id === projectId;
  if (!isVisible || !(await findProject(db, projectId))) throw projectNotFound(projectId);
  if (isAdmin || member?.role === 'owner') return;
  const detail =
    'Only administrators, and owners of the project in a session, can do this. ' +
    'A token needs the scope admin.';
  throw new Problem('owner_required', detail);
}

/**
 * The member of a project with an email address. Throws like `requireManager` unless the caller
 * manages the members or has that address: others must not learn whether somebody is a member.
 */
export async function findMembersFor(
  db: Queryable,
  caller: Caller,
  projectId: number,
  email: string,
): Promise<{ id: number; name: string }[]> {
  const found = await findMembersByEmail(db, projectId, email);
  const isOwn = caller.tokenId === null && found.some(({ id }) => id === caller.userId);
  if (!isOwn) await requireManager(db, caller, projectId);
  return found;
}

/**
 * Adds the user with an email address to a project. Owners can't list other users. They can add only users whose
 * address they know, and learn only whether somebody has the address.
 */
export async function addMember(
  trx: Trx,
  caller: Caller,
  { projectId, email, role }: { projectId: number; email: string; role: Role },
): Promise<ShownMember> {
  await prepare(trx, caller, projectId);
  const userId = (await findUserByEmail(trx, email))?.id;
  if (userId === undefined || !(await lockUser(trx, userId))) {
    const detail = 'No user has this email address. Ask an administrator to add the user first.';
    throw invalidFields([{ pointer: '/email', detail }]);
  }
  if (await findMember(trx, projectId, userId)) {
    const at = `/v1/projects/${projectId}/members/${userId}`;
    throw new Problem(
      'already_member',
      `The user is already a member. Change their role at ${at}.`,
    );
  }
  await putMember(trx, { projectId, userId, role });
  return await requireMember(trx, projectId, userId);
}

/** Changes the role of a member. */
export async function setMember(
  trx: Trx,
  caller: Caller,
  { projectId, userId, role }: { projectId: number; userId: number; role: Role },
): Promise<{ before: ShownMember; row: ShownMember }> {
  await prepare(trx, caller, projectId);
  const before = await findMember(trx, projectId, userId);
  if (!before) throw noMemberToSet(projectId, userId);
  if (role !== 'owner') await requireOtherOwner(trx, projectId, before);
  const row = await updateMember(trx, { projectId, userId, role });
  if (!row) throw noMemberToSet(projectId, userId);
  return { before, row };
}

function noMemberToSet(projectId: number, userId: number): Problem {
  const detail =
    `No member of the project has the id ${userId}. ` +
    `Add somebody by their email address: POST /v1/projects/${projectId}/members.`;
  return new Problem('member_not_found', detail);
}

/** Removes a member. Members can also remove themselves. */
export async function removeMember(
  trx: Trx,
  caller: Caller,
  { projectId, userId }: { projectId: number; userId: number },
): Promise<ShownMember> {
  await lockProject(trx, projectId);
  const isLeaving = caller.tokenId === null && caller.userId === userId;
  if (!(isLeaving && (await findMember(trx, projectId, userId)))) {
    await requireManager(trx, caller, projectId);
  }
  const member = await requireMember(trx, projectId, userId);
  await requireOtherOwner(trx, projectId, member);
  await deleteMember(trx, projectId, userId);
  return member;
}

/** The lock prevents two owners from removing each other, or themselves, at the same time. */
async function prepare(trx: Trx, caller: Caller, projectId: number): Promise<void> {
  await lockProject(trx, projectId);
  await requireManager(trx, caller, projectId);
}

async function requireMember(trx: Trx, projectId: number, userId: number): Promise<ShownMember> {
  const member = await findMember(trx, projectId, userId);
  if (!member) throw memberNotFound(userId);
  return member;
}

/**
 * Refuses to remove the last owner, because then only an administrator could add another one. Administrators add another
 * owner first, so that a project is not left without one by mistake.
 */
async function requireOtherOwner(
  trx: Trx,
  projectId: number,
  { id, role }: ShownMember,
): Promise<void> {
  if (role !== 'owner' || (await countOtherOwners(trx, projectId, id)) > 0) return;
  const detail = 'This is the last owner of the project. Make another member its owner first.';
  throw new Problem('last_owner', detail);
}
