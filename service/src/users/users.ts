import type { UserCreate, UserUpdate } from '@berth/contract/users';
import { type Details, difference } from '../audit/details.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { weaknessOfPassword } from '../threads/threads.ts';
import { endSessions, listProjectsOwnedAlone, lockOwnedProjects } from './belongings-queries.ts';
import { hashPassword, known, trusted } from './password.ts';
import {
  eraseUser,
  findUser,
  insertUser,
  isEmailTaken,
  lockUser,
  type ShownUser,
  updateUser,
} from './queries.ts';

export function userNotFound(id: number | string): Problem {
  return new Problem('user_not_found', `No user has the id ${id}.`);
}

/**
 * The hash of a new password. Throws `validation_failed` (422) if the password is easy to guess. Must not be called
 * within a transaction, because it takes a while.
 */
export async function acceptPassword(
  password: string,
  about: readonly string[],
  { pointer = '/password', asker = trusted }: { pointer?: string; asker?: string } = {},
): Promise<string> {
  const detail = await weaknessOfPassword({ password, about }, asker);
  if (detail) throw invalidFields([{ pointer, detail }]);
  return await hashPassword(password, known(asker));
}

/** Does the same as `acceptPassword`, for a password that `createUser` sets. */
export async function acceptFirstPassword(body: UserCreate): Promise<string | null> {
  const { email, password } = body;
  return password ? await acceptPassword(password, [email, nameOf(body)]) : null;
}

export async function createUser(
  trx: Trx,
  body: UserCreate,
  passwordHash: string | null,
): Promise<ShownUser> {
  const { email, is_admin: isAdmin = false } = body;
  await requireFreeEmail(trx, email);
  const values = { email, name: nameOf(body), passwordHash, isAdmin };
  return await require(trx, await insertUser(trx, values));
}

function nameOf({ email, name }: UserCreate): string {
  return name ?? email.replace(/@.*$/, '');
}

/**
 * Does the same as `acceptPassword`, for a password that `changeUser` sets. Refuses the caller's own password (422).
 */
export async function acceptNextPassword(
  db: Queryable,
  id: number,
  { email, name, password }: UserUpdate,
  ownId: number | null,
): Promise<string | undefined> {
  if (password === undefined) return undefined;
  if (id === ownId) throw ownPassword();
  const user = await require(db, id);
  return await acceptPassword(password, [email ?? user.email, name ?? user.name]);
}

/**
 * Changes a user. A new password, or disabling the user, ends all sessions, since one of them may
 * be the reason.
 */
export async function changeUser(
  trx: Trx,
  id: number,
  body: UserUpdate,
  { passwordHash, ownId }: { passwordHash?: string | undefined; ownId: number | null },
): Promise<{ row: ShownUser; details: Details }> {
  const { email, name, is_admin: isAdmin } = body;
  const isDisabled = disabledBy(body);
  const user = await lockUser(trx, id);
  if (!user) throw userNotFound(id);
  if (id === ownId && (isAdmin === false || isDisabled)) throw ownAccount();
  if (email !== undefined) await requireFreeEmail(trx, email, id);
  await updateUser(trx, id, { email, name, passwordHash, isAdmin, isDisabled });
  if (passwordHash || isDisabled) await endSessions(trx, id);
  const row = await require(trx, id);
  const details = difference(powersOf(user), powersOf(row));
  return { row, details: passwordHash ? { ...details, password_changed: true } : details };
}

/** `is_disabled` is the older name of the opposite of `enabled`. Throws 422 if they contradict each other. */
function disabledBy({ enabled, is_disabled }: UserUpdate): boolean | undefined {
  if (enabled === undefined) return is_disabled;
  if (enabled !== is_disabled) return !enabled;
  const detail = 'Must not contradict `enabled`. Omit this field: `enabled` has replaced it.';
  throw invalidFields([{ pointer: '/is_disabled', detail }]);
}

/** The permissions of a user for the audit log. */
export function powersOf({ is_admin, disabled_at }: ShownUser) {
  return { is_admin, is_disabled: disabled_at !== null };
}

/**
 * Deletes a user and erases their personal data; the history stays. Throws `last_owner` (409) for
 * the only owner of a project, whose members nobody could manage then.
 */
export async function deleteUser(trx: Trx, id: number, ownId: number | null): Promise<ShownUser> {
  // Locked before the user, in the same order as when a member is added.
  await lockOwnedProjects(trx, id);
  const user = await lockUser(trx, id);
  if (!user) throw userNotFound(id);
  if (id === ownId) throw ownAccount();
  const projects = await listProjectsOwnedAlone(trx, id);
  if (projects.length > 0) {
    const named = projects.map((project) => `${project.name} (${project.id})`).join(', ');
    const detail = `The user is the last owner of: ${named}. Make another member an owner first, or delete the project.`;
    throw new Problem('last_owner', detail);
  }
  await eraseUser(trx, id);
  return user;
}

async function require(db: Queryable, id: number): Promise<ShownUser> {
  const user = await findUser(db, id);
  if (!user) throw userNotFound(id);
  return user;
}

async function requireFreeEmail(trx: Trx, email: string, besidesId?: number): Promise<void> {
  if (!(await isEmailTaken(trx, email, besidesId))) return;
  throw new Problem('email_taken', `Another user has the email address ${email}.`);
}

function ownPassword(): Problem {
  const detail =
    'Is your own. Change it by PUT /v1/session/password, which asks for the one that you have. If you have none, another administrator sets one, or `npm run user -- password`.';
  return invalidFields([{ pointer: '/password', detail }]);
}

function ownAccount(): Problem {
  const detail = 'You cannot do this to your own account. Ask another administrator.';
  return new Problem('own_account', detail);
}
