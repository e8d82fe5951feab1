import type { UserCreate, UserUpdate } from '@berth/contract/users';
import type { Trx } from '../db/connection.ts';
import { invalidFields, Problem } from '../problem.ts';
import { endSessions } from '../sessions/queries.ts';
import { hashPassword } from './password.ts';
import { weaknessOf } from './password-strength.ts';
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

/** The hash of a new password. Throws `validation_failed` (422) for one that is easy to guess. */
export async function acceptPassword(
  password: string,
  about: readonly string[],
  pointer = '/password',
): Promise<string> {
  const detail = await weaknessOf(password, about);
  if (detail) throw invalidFields([{ pointer, detail }]);
  return await hashPassword(password);
}

export async function createUser(trx: Trx, body: UserCreate): Promise<ShownUser> {
  const { email, password, is_admin: isAdmin = false } = body;
  const name = body.name ?? email.replace(/@.*$/, '');
  const passwordHash = password ? await acceptPassword(password, [email, name]) : null;
  await requireFreeEmail(trx, email);
  return await require(trx, await insertUser(trx, { email, name, passwordHash, isAdmin }));
}

/** A new password, and being shut out, end all sessions: whoever has one may be why. */
export async function changeUser(
  trx: Trx,
  id: number,
  body: UserUpdate,
  ownId: number | null,
): Promise<ShownUser> {
  const user = await lockUser(trx, id);
  if (!user) throw userNotFound(id);
  const { email, name, password, is_admin: isAdmin, is_disabled: isDisabled } = body;
  if (id === ownId && (isAdmin === false || isDisabled)) throw ownAccount();
  if (email !== undefined) await requireFreeEmail(trx, email, id);
  const about = [email ?? user.email, name ?? user.name];
  const passwordHash = password ? await acceptPassword(password, about) : undefined;
  await updateUser(trx, id, { email, name, passwordHash, isAdmin, isDisabled });
  if (passwordHash || isDisabled) await endSessions(trx, id);
  return await require(trx, id);
}

/** What tells who it was is erased; the history stays. */
export async function deleteUser(trx: Trx, id: number, ownId: number | null): Promise<ShownUser> {
  const user = await lockUser(trx, id);
  if (!user) throw userNotFound(id);
  if (id === ownId) throw ownAccount();
  await eraseUser(trx, id);
  return user;
}

async function require(trx: Trx, id: number): Promise<ShownUser> {
  const user = await findUser(trx, id);
  if (!user) throw userNotFound(id);
  return user;
}

async function requireFreeEmail(trx: Trx, email: string, besidesId?: number): Promise<void> {
  if (!(await isEmailTaken(trx, email, besidesId))) return;
  throw new Problem('email_taken', `Another user has the address ${email}.`);
}

function ownAccount(): Problem {
  const detail = 'That would shut you out yourself. Have another administrator do it.';
  return new Problem('own_account', detail);
}
