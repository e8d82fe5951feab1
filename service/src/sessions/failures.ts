import type { FastifyRequest } from 'fastify';
import { isAttempt } from '../http/audit.ts';
import { Problem } from '../problem.ts';

/**
 * What every proof that is none ends in, of whatever kind: it counts against the address. `userId` is of the user that it was tried on, if that is known.
 */
export function badCredentials(request: FastifyRequest, userId: number | null): void {
  isAttempt(request, userId);
  request.server.limits.countAttempt(request);
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
