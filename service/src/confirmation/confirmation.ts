import type { SessionConfirm } from '@berth/contract/sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps, Person } from '../callers/app-types.ts';
import { markSignInAttempt } from '../changes/audit-marks.ts';
import type { Trx } from '../db/connection.ts';
import { type ProvenPasskey, readAuthentication } from '../passkeys/authentication.ts';
import { recordPasskeyUse } from '../passkeys/queries.ts';
import { invalidFields, type Problem } from '../problems/problem.ts';
import { requirePassword } from '../sessions/passwords.ts';
import { confirmSession } from '../sessions/queries.ts';
import { lockPasswordHash } from '../users/queries.ts';

type Proof = { passwordHash: string } | { passkey: ProvenPasskey };

/** Reads the proof with which a user confirms their identity. Throws `validation_failed` (422). */
export async function readProof(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  { userId }: Person,
  { password, passkey }: SessionConfirm,
): Promise<Proof> {
  if ((password === undefined) === (passkey === undefined)) {
    throw invalidFields([{ pointer: '', detail: 'Must contain either password or passkey.' }]);
  }
  if (password !== undefined) {
    return { passwordHash: await requirePassword(request, reply, deps, userId, password) };
  }
  await request.server.limits.admitConfirmation(request, reply, userId);
  const { proven } = passkey ? await readAuthentication(deps, passkey) : {};
  if (proven?.userId === userId) return { passkey: proven };
  markSignInAttempt(request, userId);
  throw notTheirPasskey();
}

/** Returns until when the session counts as confirmed. */
export async function confirm(trx: Trx, person: Person, proof: Proof): Promise<string> {
  const { userId, sessionId } = person;
  const passwordHash = await lockPasswordHash(trx, userId);
  if ('passkey' in proof) {
    const { id, counter } = proof.passkey;
    if (!(await recordPasskeyUse(trx, id, counter))) throw notTheirPasskey();
  } else if (passwordHash !== proof.passwordHash) {
    throw invalidFields([{ pointer: '/password', detail: 'Was just changed.' }]);
  }
  return await confirmSession(trx, sessionId);
}

function notTheirPasskey(): Problem {
  const detail = 'Is not a passkey of yours, or the challenge has expired. Try again.';
  return invalidFields([{ pointer: '/passkey', detail }]);
}
