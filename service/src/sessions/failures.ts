import type { FastifyRequest } from 'fastify';
import { markSignInAttempt } from '../changes/audit-marks.ts';
import { Problem } from '../problems/problem.ts';

/**
 * The error of a failed sign-in, which is entered in the audit log, with `userId` if that is known.
 */
export function signInFailed(
  request: FastifyRequest,
  detail: string,
  userId: number | null = null,
): Problem {
  markSignInAttempt(request, userId);
  return new Problem('sign_in_failed', detail);
}
