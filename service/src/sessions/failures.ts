import type { FastifyRequest } from 'fastify';
import { markSignInAttempt } from '../changes/audit-marks.ts';
import { Problem } from '../problems/problem.ts';

/** A sign-in that failed, entered as one in the audit log: on `userId`, if that is known. */
export function signInFailed(
  request: FastifyRequest,
  detail: string,
  userId: number | null = null,
): Problem {
  markSignInAttempt(request, userId);
  return new Problem('sign_in_failed', detail);
}
