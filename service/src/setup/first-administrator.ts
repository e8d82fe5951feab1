import type { SetupComplete } from '@berth/contract/setup';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { difference } from '../audit/details.ts';
import { insertAuditEntry } from '../audit/entry-queries.ts';
import type { Deps } from '../callers/app-types.ts';
import { aboutRequest } from '../changes/audit-entry.ts';
import { markSignInAttempt } from '../changes/audit-marks.ts';
import type { Trx } from '../db/connection.ts';
import { addressOf } from '../lib/client-address.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { putMember } from '../projects/members/queries.ts';
import { homeProject } from '../projects/queries.ts';
import { isPassword, stranger } from '../users/password.ts';
import { createUser } from '../users/users.ts';
import { isCode } from './code.ts';
import { findCodeHash, lockSetup, removeCodeHash } from './queries.ts';

/**
 * Throws `setup_closed` (409) if there is no code, and `validation_failed` (422) for a wrong one, which counts as an attempt
 * to sign in.
 */
export async function requireCode(
  request: FastifyRequest,
  reply: FastifyReply,
  { db }: Pick<Deps, 'db'>,
  { code, email }: SetupComplete,
): Promise<void> {
  const { limits } = request.server;
  await limits.admitPassword(request, reply, { email, isKnownHere: false });
  const hash = await findCodeHash(db);
  if (!hash) throw setupClosed();
  if (isCode(hash, code)) return limits.refundAttempts(request);
  // A wrong code takes as long as a right one, whose password is hashed.
  await isPassword(undefined, code, stranger(addressOf(request)));
  throw wrongCode(request);
}

/**
 * Creates the first administrator, an owner of the project `default`, and uses up the code. Of several requests, one
 * succeeds, and the others get `setup_closed` (409). Returns the id of the user.
 */
export async function createFirstAdministrator(
  request: FastifyRequest,
  trx: Trx,
  { code, email, name }: SetupComplete,
  passwordHash: string,
): Promise<number> {
  await lockSetup(trx);
  const hash = await findCodeHash(trx);
  if (!hash) throw setupClosed();
  // A start has replaced it while the password was hashed.
  if (!isCode(hash, code)) throw wrongCode(request);
  await removeCodeHash(trx);
  const { id: userId } = await createUser(trx, { email, name, is_admin: true }, passwordHash);
  const projectId = await homeProject(trx);
  const role = 'owner';
  await putMember(trx, { projectId, userId, role });
  await insertAuditEntry(trx, {
    ...aboutRequest(request),
    ...{ userId, projectId, action: 'member_add', status: 201 },
    target: { kind: 'user', id: userId },
    details: difference(null, { role }),
  });
  return userId;
}

function wrongCode(request: FastifyRequest): Problem {
  markSignInAttempt(request, null);
  const detail =
    'Is not the setup code. Enter the code of the last start of the service; each start replaces it.';
  return invalidFields([{ pointer: '/code', detail }]);
}

function setupClosed(): Problem {
  const detail =
    'The first administrator cannot be made here: there has been a user, or the setup code has expired. ' +
    'Sign in. If there is no user yet, restart the service, which makes another code.';
  return new Problem('setup_closed', detail);
}
