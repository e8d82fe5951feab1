import type { AuditAction } from '@berth/contract/actions';
import type { FastifyRequest } from 'fastify';
import type { AuditTarget } from '../audit/entry-queries.ts';
import type { ProblemCode } from '../problems/problem.ts';

// Marks that handlers set for the hooks that enter refusals in the audit log (refusals/audit.ts).

const audited = new WeakSet<FastifyRequest>();
const attempts = new WeakMap<FastifyRequest, number | null>();
const refusedParts = new WeakMap<FastifyRequest, readonly RefusedPart[]>();

/** What a request was refused, although it succeeded as a whole, such as an action on one of several objects. */
export interface RefusedPart {
  action: AuditAction;
  /** Null if it is not known. */
  target: AuditTarget | null;
  code: ProblemCode;
}

/** Marks that the change of a request is in the audit log, or that it made none. */
export function markAudited(request: FastifyRequest): void {
  audited.add(request);
}

export function isAudited(request: FastifyRequest): boolean {
  return audited.has(request);
}

/**
 * Marks a sign-in attempt, so that a refusal is entered although nobody is authenticated, and as
 * which user, once that is known. For somebody who is no user, only the IP address is stored.
 */
export function markSignInAttempt(request: FastifyRequest, userId: number | null): void {
  attempts.set(request, userId);
}

/** The user of a sign-in attempt: null while unknown; undefined if the request is none. */
export function signInAttemptOf(request: FastifyRequest): number | null | undefined {
  return attempts.get(request);
}

/** Marks what a successful request was refused. */
export function markRefusedParts(request: FastifyRequest, parts: readonly RefusedPart[]): void {
  refusedParts.set(request, parts);
}

export function refusedPartsOf(request: FastifyRequest): readonly RefusedPart[] {
  return refusedParts.get(request) ?? [];
}
