import type { PasswordChange } from '@berth/contract/sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps, Person } from '../callers/app-types.ts';
import { markSignInAttempt } from '../changes/audit-marks.ts';
import type { Trx } from '../db/connection.ts';
import { userKey } from '../limits/credentials.ts';
import { invalidFields, type Problem } from '../problems/problem.ts';
import { endSessions } from '../users/belongings-queries.ts';
import { isPassword, known } from '../users/password.ts';
import { findCredentials, lockPasswordHash, updateUser } from '../users/queries.ts';
import { acceptPassword } from '../users/users.ts';

/**
 * Verifies a user's password, and returns the hash that it was compared with. Throws
 * `validation_failed` (422) for a wrong password, which also counts as an attempt to sign in. Must
 * not be called within a transaction.
 */
export async function requirePassword(
  request: FastifyRequest,
  reply: FastifyReply,
  { db }: Pick<Deps, 'db'>,
  userId: number,
  password: string,
): Promise<string> {
  await request.server.limits.admitConfirmation(request, reply, userId);
  const found = await findCredentials(db, { id: userId });
  const passwordHash = found?.passwordHash;
  const fits = await isPassword(passwordHash, password, known(userKey(userId)));
  if (fits && passwordHash) return passwordHash;
  markSignInAttempt(request, userId);
  throw notTheirPassword();
}

interface PasswordHashes {
  before: string;
  after: string;
}

/** Prepares a change of password, which takes a while. Throws as `requirePassword`. */
export async function prepareNewPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  { userId, email, name }: Person,
  body: PasswordChange,
): Promise<PasswordHashes> {
  const before = await requirePassword(request, reply, deps, userId, body.password);
  if (body.new_password.normalize('NFC') === body.password.normalize('NFC')) {
    const detail = 'Is your current password. Choose another one.';
    throw invalidFields([{ pointer: '/new_password', detail }]);
  }
  const after = await acceptPassword(body.new_password, [email, name], {
    pointer: '/new_password',
    asker: userKey(userId),
  });
  return { before, after };
}

/**
 * Changes the password and ends all other sessions, since one of them may be the reason. Returns
 * how many there were.
 */
export async function changePassword(
  trx: Trx,
  { userId, sessionId }: Person,
  { before, after }: PasswordHashes,
): Promise<number> {
  // The password may have been changed since it was compared.
  if ((await lockPasswordHash(trx, userId)) !== before) throw notTheirPassword();
  await updateUser(trx, userId, { passwordHash: after });
  return await endSessions(trx, userId, sessionId);
}

function notTheirPassword(): Problem {
  return invalidFields([{ pointer: '/password', detail: 'Is not your current password.' }]);
}
