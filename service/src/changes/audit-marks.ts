import type { FastifyRequest } from 'fastify';

// What a request's handlers tell those that enter refusals in the audit log (refusals/audit.ts).

const audited = new WeakSet<FastifyRequest>();
const attempts = new WeakMap<FastifyRequest, number | null>();

/** Notes that a request's change is in the audit log, or that it made none. */
export function markAudited(request: FastifyRequest): void {
  audited.add(request);
}

export function isAudited(request: FastifyRequest): boolean {
  return audited.has(request);
}

/**
 * Notes that somebody tries to sign in, so that a refusal is entered, too, although nobody is known
 * yet; and as whom, once that is known. Of who is no user, nothing is kept but the address.
 */
export function markSignInAttempt(request: FastifyRequest, userId: number | null): void {
  attempts.set(request, userId);
}

/** As whom they try to sign in: null while that is not known; undefined where they don't. */
export function signInAttemptOf(request: FastifyRequest): number | null | undefined {
  return attempts.get(request);
}
