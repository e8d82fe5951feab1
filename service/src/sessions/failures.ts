import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { isAttempt } from '../refusals/audit.ts';

/** A sign-in that failed, entered as one in the audit log: on `userId`, if that is known. */
export function signInFailed(
  request: FastifyRequest,
  detail: string,
  userId: number | null = null,
): Problem {
  isAttempt(request, userId);
  return new Problem('sign_in_failed', detail);
}
