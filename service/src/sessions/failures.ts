import type { FastifyRequest } from 'fastify';
import { isAttempt } from '../http/audit.ts';
import { Problem } from '../problem.ts';

/**
 * What every proof that is none ends in, of whatever kind: what counts bad credentials by address is
 * to be called here. `userId` is of the user that it was tried on, if that is known.
 */
export function badCredentials(request: FastifyRequest, userId: number | null): void {
  isAttempt(request, userId);
}

/** A sign-in that failed, entered as one in the audit log. */
export function signInFailed(
  request: FastifyRequest,
  detail: string,
  userId: number | null = null,
): Problem {
  badCredentials(request, userId);
  return new Problem('sign_in_failed', detail);
}
